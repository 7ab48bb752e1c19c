import type { Queryable } from '@fds/database';
import { createSqlParameters } from '@fds/search';
import {
  findEventAt,
  writeRange,
  writeSeen,
  type EventRange,
  type SeenEvents,
} from '../../store/events/search-events.js';

/** The zone of a rehearsal: events whose source or a destination is in it. */
export interface RehearsedZone {
  /** Its adaptors, deleted ones too. */
  readonly adaptorUuids: readonly string[];
  /** The form in which an explanation names them. */
  readonly shortUuids: readonly string[];
  /** Versions of its domains: it stands for the source of their events without adaptor. */
  readonly ownVersionUuids: readonly string[];
  /** Those of them whose records the server itself stores. */
  readonly storedVersionUuids: readonly string[];
}

/** The adaptors of a zone. */
export const loadAdaptorsOfZone = async (session: Queryable, zoneUuid: string): Promise<readonly string[]> => {
  const { rows } = await session.query<{ readonly uuid: string }>({
    name: 'records-load-adaptors-of-zone',
    text: 'SELECT uuid FROM adaptor WHERE zone_uuid = $1 ORDER BY uuid',
    values: [zoneUuid],
  });
  return rows.map(({ uuid }) => uuid);
};

/** Events at which one statement looks. */
const strideSize = 20_000;

const findInStride = async (
  session: Queryable,
  zone: RehearsedZone,
  range: EventRange,
  place: { readonly after: string | undefined; readonly until: string | undefined; readonly limit: number },
  seen: SeenEvents | undefined,
): Promise<readonly string[]> => {
  const parameters = createSqlParameters();
  const adaptors = `${parameters.add(zone.adaptorUuids)}::uuid[]`;
  const named = parameters.add(zone.shortUuids.map((short) => `%${short.replaceAll(/[\\_%]/g, '\\$&')}%`));
  const own = `${parameters.add(zone.ownVersionUuids)}::uuid[]`;
  const stored = `${parameters.add(zone.storedVersionUuids)}::uuid[]`;
  const conditions = [
    ...writeRange(range, place.after, parameters),
    ...(place.until === undefined ? [] : [`e.uuid >= ${parameters.add(place.until)}::uuid`]),
    ...(seen === undefined ? [] : [writeSeen(seen, parameters)]),
    'e.record_uuid IS NOT NULL',
    `(e.source_adaptor_uuid = ANY (${adaptors})
      OR (e.source_adaptor_uuid IS NULL AND e.domain_version_uuid = ANY (${own}))
      OR e.domain_version_uuid = ANY (${stored})
      OR EXISTS (SELECT FROM delivery d WHERE d.event_uuid = e.uuid AND d.adaptor_uuid = ANY (${adaptors}))
      OR e.explanation LIKE ANY (${named}::text[]))`,
  ];
  const { rows } = await session.query<{ readonly uuid: string }>({
    text: `SELECT e.uuid FROM data_event e WHERE ${conditions.join(' AND ')}
           ORDER BY e.uuid DESC LIMIT ${parameters.add(place.limit)}::int`,
    values: [...parameters.values],
  });
  return rows.map(({ uuid }) => uuid);
};

/** The uuids of events of a zone, newest first, as they are found. */
export const findRehearsedEvents = async function* (
  sessionOfPage: () => Queryable,
  zone: RehearsedZone,
  range: EventRange,
  limit: number,
  seen: SeenEvents | undefined,
): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  let left = limit;
  while (left > 0) {
    const session = sessionOfPage();
    const until = await findEventAt(session, range, after, strideSize - 1);
    const found = await findInStride(session, zone, range, { after, until, limit: left }, seen);
    yield found;
    left -= found.length;
    if (until === undefined) return;
    after = until;
  }
};
