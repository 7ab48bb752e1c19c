import { binaryArray, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { RemovedLink } from '../../domain/records/removed-links.js';
import { encodeKnown } from '../known-content/known-content-codec.js';

/**
 * Keeps the content that adaptors were sent of records that they were told to delete; the last content for each key.
 */
export const saveRemovedLinks = async (client: SqlSession, links: readonly RemovedLink[]): Promise<void> => {
  await client.query({
    name: 'records-save-removed-links',
    text: `INSERT INTO removed_link (domain_version_uuid, key_digest, adaptor_uuid, record_uuid, known_content, last_sequence)
           SELECT version_uuid, digest, adaptor_uuid, record_uuid, known::jsonb, last_sequence
           FROM unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[])
             AS n(version_uuid, digest, adaptor_uuid, record_uuid, known, last_sequence)
           ON CONFLICT (domain_version_uuid, key_digest, adaptor_uuid) DO UPDATE
           SET record_uuid = excluded.record_uuid, known_content = excluded.known_content,
               last_sequence = excluded.last_sequence, date_removed = now()`,
    values: [
      binaryArray.uuid(links.map((link) => link.domainVersionUuid)),
      binaryArray.bytea(links.map((link) => link.keyDigest)),
      binaryArray.uuid(links.map((link) => link.adaptorUuid)),
      binaryArray.uuid(links.map((link) => link.recordUuid)),
      binaryArray.text(links.map((link) => stringifyJson(encodeKnown(link.known)))),
      binaryArray.int8(links.map((link) => link.known.sent.at(-1)?.sequence ?? 0)),
    ],
  });
};

/** Deletes the rows of adaptors that have the record again, or that have seen everything they were sent. */
export const deleteRemovedLinks = async (client: SqlSession, links: readonly RemovedLink[]): Promise<void> => {
  await client.query({
    // no name: its join is planned for each use
    text: `DELETE FROM removed_link l
           USING unnest($1::uuid[], $2::bytea[], $3::uuid[]) AS gone(version_uuid, digest, adaptor_uuid)
           WHERE l.domain_version_uuid = gone.version_uuid AND l.key_digest = gone.digest
             AND l.adaptor_uuid = gone.adaptor_uuid`,
    values: [
      binaryArray.uuid(links.map((link) => link.domainVersionUuid)),
      binaryArray.bytea(links.map((link) => link.keyDigest)),
      binaryArray.uuid(links.map((link) => link.adaptorUuid)),
    ],
  });
};
