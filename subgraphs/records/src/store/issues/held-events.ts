import { createSqlParameters } from '@fds/search-sql';
import type { Queryable } from '../channels/channel.js';
import type { HeldEvent } from './held-event.js';
import { waits, writeReleased, type ReleasedEvents } from './released-events.js';

const columns = `
  i.uuid AS "issueUuid", i.adaptor_uuid AS "adaptorUuid", i.domain_version_uuid AS "domainVersionUuid",
  encode(i.key_digest, 'hex') AS "keyDigest", i.data_event AS "dataEvent"`;

const isKept = `i.status = 'OPEN' AND i.adaptor_uuid IS NOT NULL AND i.data_event IS NOT NULL`;

/** The event that waits with an issue; undefined: none does. */
export const findHeldEvent = async (client: Queryable, issueUuid: string): Promise<HeldEvent | undefined> => {
  const { rows } = await client.query<HeldEvent>({
    name: 'records-find-held-event',
    text: `SELECT ${columns} FROM data_issue i WHERE i.uuid = $1 AND ${isKept} AND ${waits}`,
    values: [issueUuid],
  });
  return rows[0];
};

/**
 * Events that may go on, in the order in which they came.
 *
 * @param after the last one of the page before
 */
export const loadHeldEvents = async (
  client: Queryable,
  released: ReleasedEvents,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<HeldEvent[]> => {
  const parameters = createSqlParameters();
  const test = writeReleased(released, parameters);
  const behind = after === undefined ? '' : ` AND i.uuid > ${parameters.add(after)}::uuid`;
  const { rows } = await client.query<HeldEvent>({
    text: `SELECT ${columns} FROM data_issue i WHERE ${isKept} AND ${test}${behind}
           ORDER BY i.uuid LIMIT ${parameters.add(limit)}::int`,
    values: [...parameters.values],
  });
  return rows;
};

/**
 * Has the adaptor, since the issue was raised, reported of a record with this key what went on? Then what waits is old news.
 *
 * @param key of the event, as it is read now
 */
export const isOvertaken = async (
  client: Queryable,
  held: Pick<HeldEvent, 'issueUuid' | 'adaptorUuid'>,
  key: { readonly domainVersionUuid: string; readonly keyDigest: string },
): Promise<boolean> => {
  const { rows } = await client.query<{ readonly overtaken: boolean }>({
    name: 'records-is-overtaken',
    text: `SELECT EXISTS (
             SELECT FROM record_link l JOIN data_event e ON e.record_uuid = l.record_uuid
             WHERE l.domain_version_uuid = $1 AND l.adaptor_uuid = $2 AND l.key_digest = decode($3, 'hex')
               AND e.source_adaptor_uuid = $2 AND e.uuid > $4) AS overtaken`,
    values: [key.domainVersionUuid, held.adaptorUuid, key.keyDigest, held.issueUuid],
  });
  return rows[0]?.overtaken === true;
};
