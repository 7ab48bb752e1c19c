import { restrictionOf } from '@fds/access-rules';
import { AppError, FaultList } from '@fds/errors';
import { guarded, requirePage, toPaged, type FieldAccess, type RequestContext } from '@fds/graphql';
import { readCondition } from '../../reading/listing/resolvers/key-properties.js';
import { findVisibleUuids, type RecordsAccess } from '../../reading/listing/resolvers/list-data-records.js';
import { requireAdaptor } from '../resolvers/start-reconciliation.js';
import type { ReconciledPlace } from '../store/reconciliation.js';
import {
  addRedelivery,
  findRedelivery,
  finishRedelivery,
  listRedeliveries,
  maxRunningRedeliveries,
  shownRedelivery,
  type Redelivery,
  type RedeliveryOrder,
} from './redelivery-store.js';

/** Dependencies of the resolvers of redeliveries. */
export interface RedeliveryAccess extends RecordsAccess {
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after a job was added. Must not throw. */
  readonly onRedelivery: () => void;
}

interface StartArguments extends ReconciledPlace {
  readonly input: {
    readonly from?: Date | null;
    readonly to?: Date | null;
    readonly drUuids?: readonly string[] | null;
    readonly query?: string | null;
    readonly domainVersionUuid?: string | null;
  };
}

const maxUuids = 1_000;
const collection = '/zones/{zoneUuid}/adaptors/{adaptorUuid}/redeliveries';
const one = `${collection}/{redeliveryUuid}`;
const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
  mode: 'require',
  action,
  resource,
});

/** Finds every fault of the selection that needs no other data. */
const checkSelection = ({ input }: StartArguments, faults: FaultList): void => {
  const { from, to, drUuids, query, domainVersionUuid } = input;
  const isText = typeof query === 'string' && query.trim() !== '';
  const hasTime = Boolean(from) || Boolean(to);
  const selections = [hasTime, Boolean(drUuids), isText].filter(Boolean);
  if (selections.length === 0) faults.add('', 'REQUIRED', 'name the records: give from, drUuids or query');
  if (selections.length > 1) faults.add('', 'CONTRADICTION', 'give only one of from, drUuids and query');
  if (to && !from) faults.add('/from', 'REQUIRED', 'to needs from');
  if (from && to && from >= to) faults.add('/to', 'CONTRADICTION', 'must be later than from');
  if (drUuids && drUuids.length === 0) faults.add('/drUuids', 'TOO_FEW_ITEMS', 'name a record');
  if (drUuids && drUuids.length > maxUuids)
    faults.add('/drUuids', 'TOO_MANY_ITEMS', `has ${drUuids.length} records; at most ${maxUuids}`);
  if (isText && !domainVersionUuid) faults.add('/domainVersionUuid', 'REQUIRED', 'a query is of one domain version');
};

/** Adds a fault for each record that does not exist, or that the caller may not see: both look the same. */
const checkRecords = async (
  given: RedeliveryAccess,
  { input: { drUuids } }: StartArguments,
  { principal }: RequestContext,
  faults: FaultList,
): Promise<void> => {
  if (!drUuids || drUuids.length > maxUuids) return;
  const seen = await findVisibleUuids(given, drUuids, principal);
  for (const [index, drUuid] of drUuids.entries()) {
    if (!seen.has(drUuid)) faults.add(`/drUuids/${index}`, 'UNKNOWN_REFERENCE', `there is no record ${drUuid}`);
  }
};

/**
 * Adds a job, which runs in the background.
 *
 * @throws AppError NOT_FOUND, VALIDATION_FAILED, UNKNOWN_REFERENCE, INVALID_QUERY, DISCOVERY_MODE, CONFLICT
 */
const startRedelivery = async (given: RedeliveryAccess, args: StartArguments, context: RequestContext) => {
  await requireAdaptor(given, args);
  const { database, view, newUuid, onRedelivery } = given;
  const { zoneUuid, adaptorUuid, input } = args;
  const faults = new FaultList(context.purpose);
  checkSelection(args, faults);
  await checkRecords(given, args, context, faults);
  const { domainVersionUuid = null } = input;
  const version = domainVersionUuid === null ? undefined : await view().findVersionByUuid(domainVersionUuid);
  if (domainVersionUuid !== null && version === undefined) {
    const detail = `there is no such domain version: ${domainVersionUuid}`;
    faults.add('/domainVersionUuid', 'UNKNOWN_REFERENCE', detail);
  }
  faults.throwIfAny();
  const query = typeof input.query === 'string' && input.query.trim() !== '' ? input.query : null;
  if (version !== undefined && query !== null) {
    readCondition({ model: version.model, restriction: restrictionOf(context.principal, 'GET', version) }, query);
  }
  const adaptor = await view().reloadAdaptor(adaptorUuid);
  if (adaptor === undefined) throw new AppError('NOT_FOUND', 'there is no such adaptor here');
  if (adaptor.discoveryMode) {
    throw new AppError('DISCOVERY_MODE', 'the adaptor is in discovery mode: nothing is sent to it');
  }
  const order: RedeliveryOrder = {
    zoneUuid,
    adaptorUuid,
    domainVersionUuid,
    fromTime: input.from ?? null,
    toTime: input.to ?? null,
    drUuids: input.drUuids ?? null,
    query,
    startedByUuid: context.principal.uuid,
  };
  const job = await database.transaction((client) => addRedelivery(client, newUuid(), order));
  if (job === undefined) {
    const detail = `${maxRunningRedeliveries} redeliveries of this adaptor run: wait for one of them, or cancel it`;
    throw new AppError('CONFLICT', detail);
  }
  onRedelivery();
  return shownRedelivery(job);
};

interface JobArguments extends ReconciledPlace {
  readonly redeliveryUuid: string;
}

const requireJob = async ({ database }: RedeliveryAccess, args: JobArguments): Promise<Redelivery> => {
  const job = await findRedelivery(database.reads, args.redeliveryUuid, args);
  if (job === undefined) throw new AppError('NOT_FOUND', 'there is no such redelivery here');
  return job;
};

/** Redeliveries of records to an adaptor. */
export const createRedeliveryResolvers = (given: RedeliveryAccess) => ({
  Query: {
    adaptorRedeliveries: guarded<ReconciledPlace & { readonly page?: number | null; readonly size?: number | null }>(
      access('GET', collection),
      async (args) => {
        const paging = requirePage(args);
        await requireAdaptor(given, args);
        const page = { offset: paging.page * paging.size, limit: paging.size };
        const { rows, total } = await listRedeliveries(given.database.reads, args, page);
        return toPaged(rows.map(shownRedelivery), paging, total);
      },
    ),
    adaptorRedelivery: guarded<JobArguments>(access('GET', one), async (args) =>
      shownRedelivery(await requireJob(given, args)),
    ),
  },
  Mutation: {
    startAdaptorRedelivery: guarded<StartArguments>(
      access('POST', collection),
      (args, context) => startRedelivery(given, args, context),
      { checks: 'input' },
    ),
    cancelAdaptorRedelivery: guarded<JobArguments>(access('DELETE', one), async (args, { principal }) => {
      const { uuid } = await requireJob(given, args);
      await given.database.transaction((client) =>
        finishRedelivery(client, uuid, { status: 'CANCELLED', message: null, actorUuid: principal.uuid }),
      );
      return true;
    }),
  },
});
