import { binaryArray, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { RecordChanges, RecordState } from '../../domain/records/record-book.js';
import { encodeKnown } from '../known-content/known-content-codec.js';
import { deleteRemovedLinks, saveRemovedLinks } from './save-removed-links.js';

/** Content queued for adaptors without a link, as JSON text; null without such content. */
export const expectedText = ({ expected }: RecordState): string | null =>
  expected.size === 0
    ? null
    : stringifyJson(Object.fromEntries([...expected].map(([uuid, known]) => [uuid, encodeKnown(known)])));

const recordArrays = (records: readonly RecordState[]): Buffer[] => [
  binaryArray.uuid(records.map((record) => record.uuid)),
  binaryArray.bytea(records.map((record) => record.keyDigest)),
  binaryArray.text(records.map((record) => stringifyJson(record.drKey))),
  binaryArray.text(records.map((record) => (record.json === null ? null : stringifyJson(record.json)))),
  binaryArray.text(records.map(expectedText)),
];

const insertRecords = (client: SqlSession, records: readonly RecordState[]) =>
  client.query({
    name: 'records-insert-records',
    text: `INSERT INTO data_record (uuid, key_digest, dr_key, json, expected_content, domain_version_uuid, created_by_uuid)
           SELECT uuid, digest, dr_key::jsonb, json::jsonb, expected::jsonb, version_uuid, created_by
           FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[])
             AS n(uuid, digest, dr_key, json, expected, version_uuid, created_by)`,
    values: [
      ...recordArrays(records),
      binaryArray.uuid(records.map((record) => record.domainVersionUuid)),
      binaryArray.uuid(records.map((record) => record.createdByUuid)),
    ],
  });

const updateRecords = (client: SqlSession, records: readonly RecordState[]) =>
  client.query({
    name: 'records-update-records',
    text: `UPDATE data_record r
           SET key_digest = n.digest, dr_key = n.dr_key::jsonb, json = n.json::jsonb,
               expected_content = n.expected::jsonb,
               last_updated = now(),
               -- what is queued for adaptors is no change of the record
               change_version = r.change_version
                 + (r.key_digest <> n.digest OR r.json IS DISTINCT FROM n.json::jsonb)::int
           FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::text[], $5::text[]) AS n(uuid, digest, dr_key, json, expected)
           -- by the index: a join alone is planned while the table is small, and scans it whole when it has grown
           WHERE r.uuid = n.uuid AND r.uuid = ANY ($1::uuid[])`,
    values: recordArrays(records),
  });

const deleteRecords = (client: SqlSession, uuids: readonly string[]) =>
  client.query({
    name: 'records-delete-records',
    text: 'DELETE FROM data_record WHERE uuid = ANY ($1::uuid[])',
    values: [binaryArray.uuid(uuids)],
  });

const saveLinks = (client: SqlSession, saved: RecordChanges['savedLinks']) =>
  client.query({
    name: 'records-save-links',
    text: `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
           SELECT record_uuid, adaptor_uuid, version_uuid, digest, dr_key::jsonb, known::jsonb
           FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::text[], $6::text[])
             AS n(record_uuid, adaptor_uuid, version_uuid, digest, dr_key, known)
           ON CONFLICT (record_uuid, adaptor_uuid) DO UPDATE
           SET key_digest = excluded.key_digest, dr_key = excluded.dr_key, known_content = excluded.known_content,
               last_updated = now()`,
    values: [
      binaryArray.uuid(saved.map(({ record }) => record.uuid)),
      binaryArray.uuid(saved.map(({ link }) => link.adaptorUuid)),
      binaryArray.uuid(saved.map(({ record }) => record.domainVersionUuid)),
      binaryArray.bytea(saved.map(({ link }) => link.keyDigest)),
      binaryArray.text(saved.map(({ link }) => stringifyJson(link.drKey))),
      binaryArray.text(saved.map(({ link }) => stringifyJson(encodeKnown(link.known)))),
    ],
  });

const deleteLinks = (client: SqlSession, links: RecordChanges['deletedLinks']) =>
  client.query({
    name: 'records-delete-links',
    text: `DELETE FROM record_link l USING unnest($1::uuid[], $2::uuid[]) AS gone(record_uuid, adaptor_uuid)
           -- by the index, as in the update of records
           WHERE l.record_uuid = gone.record_uuid AND l.adaptor_uuid = gone.adaptor_uuid
             AND l.record_uuid = ANY ($1::uuid[])`,
    values: [
      binaryArray.uuid(links.map((link) => link.recordUuid)),
      binaryArray.uuid(links.map((link) => link.adaptorUuid)),
    ],
  });

/**
 * Writes the changes of a batch to the records, at most one statement per kind, all of them sent before it first waits.
 *
 * @throws unique violation (SQLSTATE 23505) when another transaction took a key in the meantime: repeat the batch
 */
export const saveRecords = async (client: SqlSession, changes: RecordChanges): Promise<void> => {
  // deletions first: they free their keys
  const sent: Promise<unknown>[] = [];
  if (changes.deleted.length > 0) sent.push(deleteRecords(client, changes.deleted));
  if (changes.deletedLinks.length > 0) sent.push(deleteLinks(client, changes.deletedLinks));
  if (changes.updated.length > 0) sent.push(updateRecords(client, changes.updated));
  if (changes.inserted.length > 0) sent.push(insertRecords(client, changes.inserted));
  if (changes.savedLinks.length > 0) sent.push(saveLinks(client, changes.savedLinks));
  const { kept, forgotten } = changes.removedLinks;
  if (kept.length > 0) sent.push(saveRemovedLinks(client, kept));
  if (forgotten.length > 0) sent.push(deleteRemovedLinks(client, forgotten));
  await Promise.all(sent);
};
