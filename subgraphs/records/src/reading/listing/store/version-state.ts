import { type Writing, writePlaceValues, type SortTerm } from '@fds/search';
import type { RecordMove, VersionState } from './anchors.js';
import { maxScanned, type OrderedVersion } from './listing-memory.js';

/** A row of the statement. */
export interface StateRow {
  readonly total: bigint;
  readonly moves: bigint;
  readonly scanned: bigint;
  /** Position, action, uuid, and the values of the terms. */
  readonly changes: readonly (readonly [string, RecordMove['action'], string, ...(string | null)[]])[] | null;
}

/** Columns of a `StateRow`. */
export const stateColumns = ['total', 'moves', 'scanned', 'changes'] as const satisfies readonly (keyof StateRow)[];

/** A record keeps its uuid, and changes of its DR Key are counted. Nothing counts the changes of other properties. */
const actionsOf = (order: readonly SortTerm[]): readonly RecordMove['action'][] =>
  order.some(({ property }) => property.dataPath !== undefined)
    ? ['POST', 'PUT', 'PATCH', 'DELETE']
    : ['POST', 'DELETE'];

/** A statement of one row, a `StateRow`: the version as the statement around it sees it. */
export const writeVersionState = (
  { domainVersionUuid, order }: OrderedVersion,
  floor: bigint,
  { parameters, features }: Pick<Writing, 'parameters' | 'features'>,
): string => {
  const version = parameters.add(domainVersionUuid);
  const values = writePlaceValues(order, 'changed.dr_key', features);
  const place =
    values.length === 0
      ? ''
      : ` || (SELECT ARRAY[${values.join(', ')}] FROM (
            SELECT recent.data::jsonb -> 'drKey' AS dr_key, recent.data::jsonb -> 'json' AS json) AS changed)`;
  return `SELECT counted.total, counted.moves, logged.scanned, logged.changes
    FROM (SELECT coalesce(sum(c.records), 0)::bigint AS total, coalesce(sum(c.moves), 0)::bigint AS moves
          FROM record_count c WHERE c.domain_version_uuid = ${version}::text::uuid) AS counted,
         (SELECT count(*) AS scanned,
                 array_agg(ARRAY[recent.position::text, recent.action, recent.resource_uuid::text]${place})
                   FILTER (WHERE recent.resource_type = 'Dr' AND recent.action = ANY ('{${actionsOf(order).join(',')}}')
                             AND recent.data::jsonb ->> 'domainVersionUuid' = ${version}::text) AS changes
          FROM (SELECT l.position, l.action, l.resource_type, l.resource_uuid, l.data FROM change_log l
                WHERE l.position > ${parameters.add(floor)}::bigint ORDER BY l.position LIMIT ${maxScanned + 1}) AS recent) AS logged`;
};

export const toVersionState = ({ total, moves, scanned, changes }: StateRow): VersionState => ({
  total,
  moves,
  scanned: Number(scanned),
  changes: (changes ?? []).map(([position, action, uuid, ...values]) => ({
    position: BigInt(position),
    action,
    place: { uuid, values },
  })),
});
