import type { SqlSession, Queryable } from '@fds/database';
import { createSqlParameters } from '@fds/search';
import { nothingSeen, type Seen } from '../../domain/routing/seen.js';
import type { QueueKey } from '../../domain/issues/parked-queues.js';
import type { ParkedEvent } from './parked-event.js';
import { waits, writeReleased, type ReleasedEvents, type ReleasedPage } from './released-events.js';

const columns = `
  i.uuid AS "issueUuid", i.adaptor_uuid AS "adaptorUuid", i.domain_version_uuid AS "domainVersionUuid",
  encode(i.key_digest, 'hex') AS "keyDigest", i.data_event AS "dataEvent",
  i.seen_applied AS "seenApplied", i.seen_begun AS "seenBegun", i.brake_uuid IS NOT NULL AS "passesBrake"`;

interface ParkedRow extends Omit<ParkedEvent, 'seen' | 'order'> {
  readonly seenApplied: bigint | null;
  readonly seenBegun: bigint | null;
  readonly passesBrake: boolean;
}

/** The position at which an event arrived, as its issue keeps it. Undefined: not known. */
export const readSeen = (applied: bigint | null, begun: bigint | null): Seen | undefined =>
  applied === null
    ? undefined
    : { applied: Number(applied), begun: begun === null ? nothingSeen.begun : Number(begun) };

const toParkedEvent = (row: ParkedRow): ParkedEvent => ({
  issueUuid: row.issueUuid,
  adaptorUuid: row.adaptorUuid,
  domainVersionUuid: row.domainVersionUuid,
  keyDigest: row.keyDigest,
  dataEvent: row.dataEvent,
  seen: readSeen(row.seenApplied, row.seenBegun),
  ...(row.passesBrake ? { passesBrake: true } : {}),
});

const isKept = `i.status = 'OPEN' AND i.adaptor_uuid IS NOT NULL AND i.data_event IS NOT NULL`;

/** The event that waits with an issue; undefined: no event waits. */
export const findParkedEvent = async (client: Queryable, issueUuid: string): Promise<ParkedEvent | undefined> => {
  const { rows } = await client.query<ParkedRow>({
    name: 'records-find-parked-event',
    text: `SELECT ${columns} FROM data_issue i WHERE i.uuid = $1 AND ${isKept} AND ${waits}`,
    values: [issueUuid],
  });
  const [row] = rows;
  return row === undefined ? undefined : toParkedEvent(row);
};

export interface ParkedPage {
  /** In the order of their arrival. */
  readonly events: readonly ParkedEvent[];
  /** No event follows the page. */
  readonly isLast: boolean;
}

/** A page of events that may continue. */
export const loadParkedEvents = async (
  client: Queryable,
  released: ReleasedEvents,
  page: ReleasedPage,
): Promise<ParkedPage> => {
  const parameters = createSqlParameters();
  const { after, limit, maxBytes } = page;
  const test = writeReleased(released, page, parameters);
  const behind = after === undefined ? '' : ` AND i.uuid > ${parameters.add(after)}::uuid`;
  const { rows } = await client.query<ParkedRow & { readonly chosen: bigint }>({
    text: `SELECT ${columns}, i.chosen
           FROM (SELECT c.*, count(*) OVER () AS chosen,
                        sum(octet_length(c.data_event)) OVER (ORDER BY c.uuid) - octet_length(c.data_event) AS bytes_before
                 FROM (SELECT i.* FROM data_issue i WHERE ${isKept} AND ${test}${behind}
                       ORDER BY i.uuid LIMIT ${parameters.add(limit)}::int) c) i
           WHERE i.bytes_before < ${parameters.add(maxBytes)}::bigint ORDER BY i.uuid`,
    values: [...parameters.values],
  });
  return {
    events: rows.map(toParkedEvent),
    isLast: rows.length < limit && Number(rows[0]?.chosen ?? 0n) === rows.length,
  };
};

/**
 * Issues whose adaptor has since reported an event of a record with this key that was processed: the event that waits
 * there is stale.
 *
 * @param events with the key as it is read now
 */
export const loadOvertaken = async (
  client: SqlSession,
  events: readonly { readonly issueUuid: string; readonly queue: QueueKey }[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    // no name: its join is planned for each use
    text: `SELECT w.uuid FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) AS w(uuid, version_uuid, adaptor_uuid, digest)
           WHERE EXISTS (
             SELECT FROM record_link l JOIN data_event e ON e.record_uuid = l.record_uuid
             WHERE l.domain_version_uuid = w.version_uuid AND l.adaptor_uuid = w.adaptor_uuid
               AND l.key_digest = decode(w.digest, 'hex') AND e.source_adaptor_uuid = w.adaptor_uuid AND e.uuid > w.uuid)`,
    values: [
      events.map(({ issueUuid }) => issueUuid),
      events.map(({ queue }) => queue.domainVersionUuid),
      events.map(({ queue }) => queue.adaptorUuid),
      events.map(({ queue }) => queue.keyDigest),
    ],
  });
  return new Set(rows.map(({ uuid }) => uuid));
};
