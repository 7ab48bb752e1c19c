import { maskMembers, writeVisibleRows, type Visible } from '@fds/access-rules';
import { requirePage, toPaged, type RequestContext } from '@fds/graphql';
import type { JsonObject, JsonValue } from '@fds/json';
import { readVisibility, type RestrictedVersion, createSqlParameters } from '@fds/search';
import type { DomainVersionView } from '../../domain/catalog.js';
import { sessionOfCaller } from '../../reading/listing/resolvers/session-of-caller.js';
import { countDifferences, type DifferenceKind, listDifferences, type ListedDifference } from '../store/differences.js';
import type { ReconciledPlace, Reconciliation } from '../store/reconciliation.js';
import type { ReconciliationAccess } from './start-reconciliation.js';

export interface DifferencesArguments extends ReconciledPlace {
  readonly reconciliationUuid: string;
  readonly kind?: readonly DifferenceKind[] | null;
  readonly property?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

/** The part of the differences of a version that a caller may see. */
interface DifferenceSight {
  /** May the caller see data of records at all? */
  readonly seesData: boolean;
  /** Undefined: the caller sees everything. */
  readonly restricted: RestrictedVersion | undefined;
}

const shows = (visible: Visible | undefined, property: string): boolean =>
  visible === undefined || visible.extent === 'ALL' || visible.names.has(property);

/** A row is visible where the record is: at an adaptor that links it, or at the compared one unless that one lacks it. */
const writeRows = ({
  access,
  domainType,
}: RestrictedVersion): { readonly text: string; readonly values: readonly unknown[] } => {
  // the parameters of the listing come first
  const parameters = createSqlParameters();
  for (let place = 0; place < 3; place += 1) parameters.add(null);
  const [uuid, required] = ['d.record_uuid', [] as const];
  if (domainType === 'SERVICE_DATA_STORE') {
    const text = writeVisibleRows(access, { uuid, adaptor: null, required }, parameters);
    return { text, values: parameters.values.slice(3) };
  }
  const adaptor = '(SELECT r.adaptor_uuid FROM reconciliation r WHERE r.uuid = d.reconciliation_uuid)';
  const here = writeVisibleRows(access, { uuid, adaptor, required }, parameters);
  const linked = writeVisibleRows(access, { uuid, adaptor: 'l.adaptor_uuid', required }, parameters);
  const text = `((d.kind <> 'MISSING_HERE' AND ${here}) OR EXISTS (SELECT FROM record_link l WHERE l.record_uuid = d.record_uuid AND ${linked}))`;
  return { text, values: parameters.values.slice(3) };
};

const visibleAt = (
  { view }: ReconciliationAccess,
  { restricted }: DifferenceSight,
  recordUuid: string,
  side: string | null,
): Visible | undefined => {
  if (restricted === undefined) return undefined;
  const { access } = restricted;
  if (side === null) return access.own.of(recordUuid);
  const zoneUuid = view().catalog.adaptor(side)?.zoneUuid ?? '';
  return access.at({ adaptorUuid: side, zoneUuid }).of(recordUuid);
};

/** The key of a record as the caller may see it: at the compared adaptor if that one has the record, otherwise at one that links it. */
const visibleKey = (
  access: ReconciliationAccess,
  sight: DifferenceSight,
  { adaptorUuid }: Reconciliation,
  { recordUuid, kind, drKey, links }: ListedDifference,
): JsonObject | null => {
  if (!sight.seesData) return null;
  if (sight.restricted === undefined) return drKey;
  const own = { adaptorUuid: null, drKey };
  const held = kind === 'MISSING_HERE' ? [] : [{ adaptorUuid, drKey }];
  const holders = sight.restricted.domainType === 'SERVICE_DATA_STORE' ? [own] : [...held, ...links];
  const keys = holders.map((each) => {
    const visible = visibleAt(access, sight, recordUuid, each.adaptorUuid);
    return visible === undefined ? each.drKey : maskMembers(each.drKey, visible);
  });
  return keys.toSorted((one, other) => Object.keys(other).length - Object.keys(one).length)[0] ?? {};
};

const showDifference = (
  access: ReconciliationAccess,
  sight: DifferenceSight,
  job: Reconciliation,
  difference: ListedDifference,
) => {
  const { adaptorUuid } = job;
  const { recordUuid, kind, pairs } = difference;
  const valueFor = (
    value: JsonValue | undefined,
    { side, property }: { readonly side: string | null; readonly property: string },
  ): JsonValue | undefined =>
    sight.seesData && shows(visibleAt(access, sight, recordUuid, side), property) ? value : undefined;
  return {
    drUuid: recordUuid,
    drKey: visibleKey(access, sight, job, difference),
    kind,
    properties: pairs.map(({ property, otherUuid, chosen, value, otherValue }) => {
      const seen = valueFor(value, { side: adaptorUuid, property });
      const seenOther = valueFor(otherValue, { side: otherUuid, property });
      return {
        property,
        adaptorUuid,
        otherAdaptorUuid: otherUuid,
        chosen,
        values:
          seen === undefined && seenOther === undefined ? null : { value: seen ?? null, otherValue: seenOther ?? null },
      };
    }),
  };
};

/** The differences of a job that the caller may see, with the values that the caller may see. */
export const showDifferences = async (
  access: ReconciliationAccess,
  { job, version }: { readonly job: Reconciliation; readonly version: DomainVersionView | undefined },
  args: DifferencesArguments,
  context: RequestContext,
) => {
  const paging = requirePage(args);
  const { principal } = context;
  const visibility = version === undefined ? undefined : readVisibility(principal, [version]);
  const restricted = visibility?.versions[0];
  const sight = { seesData: principal.permits('GET', '/drs'), restricted };
  const filter = {
    reconciliationUuid: job.uuid,
    kinds: args.kind ?? null,
    property: args.property ?? null,
    ...(restricted === undefined ? {} : { rows: writeRows(restricted) }),
  };
  const session = sessionOfCaller(access.database, context);
  const total = await countDifferences(session, filter);
  const offset = paging.page * paging.size;
  const rows = offset < total ? await listDifferences(session, filter, { offset, limit: paging.size }) : [];
  return toPaged(
    rows.map((row) => showDifference(access, sight, job, row)),
    paging,
    total,
  );
};
