import { stringifyJson } from '@fds/json';
import type { RecordChanges, RecordState } from '../domain/record-book.js';
import type { Queryable } from './channel.js';

const recordArrays = (records: readonly RecordState[]): unknown[] => [
  records.map((record) => record.uuid),
  records.map((record) => record.keyDigest),
  records.map((record) => stringifyJson(record.drKey)),
  records.map((record) => (record.json === null ? null : stringifyJson(record.json))),
  records.map((record) => (record.expected.size === 0 ? null : stringifyJson(Object.fromEntries(record.expected)))),
];

const insertRecords = (client: Queryable, records: readonly RecordState[]) =>
  client.query({
    name: 'records-insert-records',
    text: `INSERT INTO data_record (uuid, key_digest, dr_key, json, expected_content, domain_version_uuid, created_by_uuid)
           SELECT uuid, decode(digest, 'hex'), dr_key::jsonb, json::jsonb, expected::jsonb, version_uuid, created_by
           FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[])
             AS n(uuid, digest, dr_key, json, expected, version_uuid, created_by)`,
    values: [
      ...recordArrays(records),
      records.map((record) => record.domainVersionUuid),
      records.map((record) => record.createdByUuid),
    ],
  });

const updateRecords = (client: Queryable, records: readonly RecordState[]) =>
  client.query({
    name: 'records-update-records',
    text: `UPDATE data_record r
           SET key_digest = decode(n.digest, 'hex'), dr_key = n.dr_key::jsonb, json = n.json::jsonb,
               expected_content = n.expected::jsonb,
               last_updated = now(), change_version = change_version + 1
           FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) AS n(uuid, digest, dr_key, json, expected)
           WHERE r.uuid = n.uuid`,
    values: recordArrays(records),
  });

const deleteRecords = (client: Queryable, uuids: readonly string[]) =>
  client.query({
    name: 'records-delete-records',
    text: 'DELETE FROM data_record WHERE uuid = ANY ($1::uuid[])',
    values: [uuids],
  });

const saveLinks = (client: Queryable, saved: RecordChanges['savedLinks']) =>
  client.query({
    name: 'records-save-links',
    text: `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
           SELECT record_uuid, adaptor_uuid, version_uuid, decode(digest, 'hex'), dr_key::jsonb, known::jsonb
           FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[])
             AS n(record_uuid, adaptor_uuid, version_uuid, digest, dr_key, known)
           ON CONFLICT (record_uuid, adaptor_uuid) DO UPDATE
           SET key_digest = excluded.key_digest, dr_key = excluded.dr_key, known_content = excluded.known_content,
               last_updated = now()`,
    values: [
      saved.map(({ record }) => record.uuid),
      saved.map(({ link }) => link.adaptorUuid),
      saved.map(({ record }) => record.domainVersionUuid),
      saved.map(({ link }) => link.keyDigest),
      saved.map(({ link }) => stringifyJson(link.drKey)),
      saved.map(({ link }) => stringifyJson(link.known)),
    ],
  });

const deleteLinks = (client: Queryable, links: RecordChanges['deletedLinks']) =>
  client.query({
    name: 'records-delete-links',
    text: `DELETE FROM record_link l USING unnest($1::uuid[], $2::uuid[]) AS gone(record_uuid, adaptor_uuid)
           WHERE l.record_uuid = gone.record_uuid AND l.adaptor_uuid = gone.adaptor_uuid`,
    values: [links.map((link) => link.recordUuid), links.map((link) => link.adaptorUuid)],
  });

/**
 * Writes what a batch did to the records, at most one statement per kind.
 *
 * @throws unique violation (SQLSTATE 23505) when another transaction took a key meanwhile: repeat the batch
 */
export const saveRecords = async (client: Queryable, changes: RecordChanges): Promise<void> => {
  // what goes makes room for its key first
  if (changes.deleted.length > 0) await deleteRecords(client, changes.deleted);
  if (changes.deletedLinks.length > 0) await deleteLinks(client, changes.deletedLinks);
  if (changes.updated.length > 0) await updateRecords(client, changes.updated);
  if (changes.inserted.length > 0) await insertRecords(client, changes.inserted);
  if (changes.savedLinks.length > 0) await saveLinks(client, changes.savedLinks);
};
