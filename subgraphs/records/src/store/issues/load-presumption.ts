import type { SqlSession } from '@fds/database';

/** The data that an issue keeps about an event that was processed on a presumption. */
export interface KeptPresumption {
  /** JSON text of the original event. */
  readonly dataEvent: string;
  /** JSON text of the record before the change; null: the event made the record. */
  readonly before: string | null;
}

export const loadPresumption = async (client: SqlSession, issueUuid: string): Promise<KeptPresumption | undefined> => {
  const { rows } = await client.query<KeptPresumption>({
    text: `SELECT data_event AS "dataEvent", before FROM data_issue WHERE uuid = $1 AND data_event IS NOT NULL`,
    values: [issueUuid],
  });
  return rows[0];
};

/** Adaptors that were sent the record as new; as long as its deliveries are kept. */
export const loadSentTo = async (client: SqlSession, recordUuid: string): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    text: `SELECT DISTINCT d.adaptor_uuid AS uuid FROM data_event e JOIN delivery d ON d.event_uuid = e.uuid
           WHERE e.record_uuid = $1 AND d.action = 'POST'`,
    values: [recordUuid],
  });
  return new Set(rows.map(({ uuid }) => uuid));
};

/** The history of a record that goes becomes that of the one which it turned out to be. */
export const moveHistory = async (client: SqlSession, from: string, to: string): Promise<void> => {
  await client.query({
    text: 'UPDATE data_event SET record_uuid = $2 WHERE record_uuid = $1',
    values: [from, to],
  });
};

/** Lets another record have the key in the statement that gives this one back its own. */
export const freeKey = async (client: SqlSession, recordUuid: string): Promise<void> => {
  await client.query({
    text: `UPDATE data_record SET key_digest = sha256(convert_to('free ' || uuid, 'UTF8')) WHERE uuid = $1`,
    values: [recordUuid],
  });
};
