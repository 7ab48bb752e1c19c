import { binaryArray, intoChangeLog, noteChanges, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { RecordChange } from '../../domain/events/event-outcome.js';
import type { RecordChanges, RecordState } from '../../domain/records/record-book.js';
import { expectedText } from './save-records.js';

/** Does the change contain the same data and the same actor, and nothing besides, as the record that is about to be stored? */
const tells = (
  { action, recordUuid, actorUuid, drKey, json, traceparent }: RecordChange,
  record: RecordState | undefined,
): boolean =>
  record !== undefined &&
  action === 'POST' &&
  recordUuid === record.uuid &&
  actorUuid === (record.createdByUuid ?? undefined) &&
  traceparent === undefined &&
  drKey === record.drKey &&
  (json ?? null) === record.json;

/** Did a batch add records, each with one change for the log in the same order, and do nothing else? */
export const onlyAdds = (
  { inserted, updated, deleted, savedLinks, deletedLinks, removedLinks }: RecordChanges,
  logged: readonly RecordChange[],
): boolean =>
  updated.length + deleted.length + savedLinks.length + deletedLinks.length === 0 &&
  removedLinks.kept.length + removedLinks.forgotten.length === 0 &&
  inserted.length === logged.length &&
  logged.every((change, index) => tells(change, inserted[index]));

/**
 * Writes new records and their changes in the log. Both have the same content, which goes to the database once.
 *
 * @param logged the change of each record, in the same order
 *
 * @throws unique violation (SQLSTATE 23505) when another transaction took a key in the meantime: repeat the batch
 */
export const saveAddedRecords = async (
  client: SqlSession,
  added: readonly RecordState[],
  logged: readonly Pick<RecordChange, 'transactionUuid'>[],
): Promise<void> => {
  if (added.length === 0) return;
  noteChanges(['Dr']);
  await client.query({
    name: 'records-save-added-records',
    text: `WITH added AS MATERIALIZED (
             SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::uuid[])
               AS n(uuid, digest, dr_key, json, expected, version_uuid, created_by, transaction_uuid)
           ), saved AS (
             INSERT INTO data_record (uuid, key_digest, dr_key, json, expected_content, domain_version_uuid, created_by_uuid)
             SELECT uuid, digest, dr_key::jsonb, json::jsonb, expected::jsonb, version_uuid, created_by FROM added
           )
           ${intoChangeLog}
           SELECT 'POST', 'Dr', '/drs/' || uuid, uuid, NULL::uuid, created_by,
                  '{"uuid":"' || uuid || '","domainVersionUuid":"' || version_uuid || '","drKey":' || dr_key
                    || coalesce(',"json":' || json, '') || coalesce(',"transactionUuid":"' || transaction_uuid || '"', '') || '}'
           FROM added`,
    values: [
      binaryArray.uuid(added.map((record) => record.uuid)),
      binaryArray.bytea(added.map((record) => record.keyDigest)),
      binaryArray.text(added.map((record) => stringifyJson(record.drKey))),
      binaryArray.text(added.map((record) => (record.json === null ? null : stringifyJson(record.json)))),
      binaryArray.text(added.map(expectedText)),
      binaryArray.uuid(added.map((record) => record.domainVersionUuid)),
      binaryArray.uuid(added.map((record) => record.createdByUuid)),
      binaryArray.uuid(logged.map(({ transactionUuid }) => transactionUuid ?? null)),
    ],
  });
};
