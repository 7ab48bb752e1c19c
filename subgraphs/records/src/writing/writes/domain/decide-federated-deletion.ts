import { AppError } from '@fds/errors';
import type { DomainVersionView } from '../../../domain/catalog.js';
import { awaitsDeletion, nothingKnown } from '../../../domain/routing/known-content.js';
import { planDeletion } from '../../../domain/routing/plan-deliveries.js';
import { applyPlan } from '../../../domain/routing/apply-plan.js';
import type { RecordState } from '../../../domain/records/record-book.js';
import type { AdaptorDeletion, DeletionStatus, FederatedDeletion } from './record-write.js';
import type { WriteGuard } from './write-guard.js';
import { outcomeOf, refused, refusedBy, routedEvent, type WriteContext, type WriteDecision } from './write-context.js';

/** State of the last DELETE of the record to each adaptor: QUEUED, DELIVERED, APPLIED or FAILED. */
export type SentDeletions = ReadonlyMap<string, string>;

const isUnderWay = (status: string | undefined): status is 'QUEUED' | 'DELIVERED' =>
  status === 'QUEUED' || status === 'DELIVERED';

/** An adaptor with a DELETE that still has its link gets another one: the first failed, or did nothing. */
const forgetFutileDeletions = ({ book }: WriteContext, record: RecordState, sent: SentDeletions): void => {
  for (const link of record.links.values()) {
    if (awaitsDeletion(link.known) && !isUnderWay(sent.get(link.adaptorUuid)))
      book.link(record, { ...link, known: nothingKnown });
  }
  for (const [adaptorUuid, known] of record.expected) {
    if (awaitsDeletion(known) && !isUnderWay(sent.get(adaptorUuid))) record.expected.set(adaptorUuid, nothingKnown);
  }
};

const unlinked = (adaptorUuids: readonly string[]): WriteDecision =>
  refused('INVALID_PARAMETER', 'adaptorUuids names adaptors that do not link the record', {
    errors: adaptorUuids.map((uuid) => ({
      pointer: 'adaptorUuids',
      code: 'UNKNOWN_REFERENCE',
      detail: `${uuid} does not link the record`,
    })),
  });

/**
 * Tells the adaptors that link a federated record to delete it. Their links go when they report; the record goes with its
 * last link, at once where it has none. Refused only when governance denies it to every adaptor.
 */
export const decideFederatedDeletion = (
  context: WriteContext,
  version: DomainVersionView,
  record: RecordState,
  { zoneUuid, adaptorUuids, sent }: FederatedDeletion & { readonly sent: SentDeletions },
): WriteDecision => {
  const { guard } = context;
  const reach = (uuid: string): ReturnType<WriteGuard['atAdaptor']> =>
    guard?.atAdaptor(version, record.uuid, uuid) ?? 'ALLOWED';
  const everywhere = new Set([...record.links.keys(), ...record.expected.keys()]);
  const holders = new Set([...everywhere].filter((uuid) => reach(uuid) !== 'HIDDEN'));
  const strangers = adaptorUuids?.filter((uuid) => !holders.has(uuid)) ?? [];
  if (strangers.length > 0) return unlinked(strangers);
  const wanted = adaptorUuids === undefined ? holders : new Set(adaptorUuids);
  const hidden = new Set([...wanted].filter((uuid) => reach(uuid) === 'DENIED'));
  const refusal =
    wanted.size > 0 && hidden.size === wanted.size
      ? new AppError('FORBIDDEN', 'the data access rules of your roles do not let you delete this record')
      : everywhere.size === 0
        ? guard?.refuseDeletion(version, record.uuid)
        : undefined;
  if (refusal !== undefined) return refusedBy(refusal);

  forgetFutileDeletions(context, record, sent);
  const underWay = new Map([...wanted].map((uuid) => [uuid, sent.get(uuid)] as const));
  const awaited = (uuid: string): boolean => awaitsDeletion(record.links.get(uuid)?.known ?? record.expected.get(uuid));
  const alreadyOrdered = new Set([...wanted].filter(awaited));

  const routed = routedEvent(context, version, record.drKey, zoneUuid);
  const asked = new Set([...wanted].filter((uuid) => !hidden.has(uuid)));
  const plan = planDeletion(context, routed, record, asked);
  const ordered = new Set(plan.deliveries.map(({ adaptorUuid }) => adaptorUuid));
  const denied = new Set(plan.denied.map(({ adaptorUuid }) => adaptorUuid));
  const isOrdered = [...asked].some(
    (uuid) => ordered.has(uuid) || (alreadyOrdered.has(uuid) && isUnderWay(underWay.get(uuid))),
  );
  // adaptors without the capability do not count as receivers
  if (denied.size > 0 && !isOrdered) {
    const acls = plan.denied.map(({ adaptorUuid, chain, aclUuid }) => ({ adaptorUuid, chain, aclUuid }));
    return refused('GOVERNANCE_DENIED', 'the ACLs of the zones do not let the record be deleted', {
      details: { acls },
    });
  }
  applyPlan(context, record, plan);

  const statusOf = (uuid: string): DeletionStatus => {
    if (ordered.has(uuid)) return 'QUEUED';
    if (denied.has(uuid) || hidden.has(uuid)) return 'DENIED';
    const before = underWay.get(uuid);
    return alreadyOrdered.has(uuid) && isUnderWay(before) ? before : 'NOT_CAPABLE';
  };
  const adaptors: AdaptorDeletion[] = [...wanted]
    .toSorted()
    .map((adaptorUuid) => ({ adaptorUuid, status: statusOf(adaptorUuid) }));
  const goes = record.links.size === 0 && adaptorUuids === undefined;
  if (goes) context.book.delete(record);
  const result = {
    outcome: 'DELETED',
    recordUuid: record.uuid,
    transactionUuid: routed.transactionUuid,
    adaptors,
  } as const;
  if (!goes && ordered.size + denied.size === 0) return { result, outcome: { deliveries: [] } };
  return {
    result,
    outcome: outcomeOf(context, routed, record, { action: 'DELETE', plan, logged: goes ? 'DELETE' : 'PUT' }),
  };
};
