import { binaryArray, type SqlSession } from '@fds/database';
import type { JsonObject } from '@fds/json';

/** A record that an adaptor names by uuid. */
export interface NamedRecord {
  readonly adaptorUuid: string;
  readonly recordUuid: string;
}

/** The key under which an adaptor knew a record that it no longer links. */
export interface FormerKey extends NamedRecord {
  readonly domainVersionUuid: string;
  /** As the last event of the record has it. */
  readonly drKey: JsonObject;
  /** Hexadecimal SHA-256 of the key of the adaptor's removed link. Undefined: it has none. */
  readonly keyDigest: string | undefined;
}

/**
 * The last keys of records that adaptors name by uuid, from the history and from the removed links. Records of which the
 * history has no event are left out.
 */
export const loadFormerKeys = async (
  client: SqlSession,
  named: readonly NamedRecord[],
): Promise<readonly FormerKey[]> => {
  if (named.length === 0) return [];
  const { rows } = await client.query<{
    readonly adaptor_uuid: string;
    readonly record_uuid: string;
    readonly domain_version_uuid: string;
    readonly dr_key: JsonObject;
    readonly key_digest: string | null;
  }>({
    name: 'records-load-former-keys',
    text: `SELECT DISTINCT ON (n.adaptor_uuid, n.record_uuid) n.adaptor_uuid, n.record_uuid, e.domain_version_uuid, e.dr_key,
                  encode(l.key_digest, 'hex') AS key_digest
           FROM unnest($1::uuid[], $2::uuid[]) AS n(adaptor_uuid, record_uuid)
           CROSS JOIN LATERAL (
             SELECT domain_version_uuid, dr_key FROM data_event WHERE record_uuid = n.record_uuid ORDER BY uuid DESC LIMIT 1
           ) e
           LEFT JOIN LATERAL (
             SELECT key_digest, last_sequence FROM removed_link
             WHERE record_uuid = n.record_uuid AND adaptor_uuid = n.adaptor_uuid OFFSET 0
           ) l ON true
           ORDER BY n.adaptor_uuid, n.record_uuid, l.last_sequence DESC NULLS LAST`,
    values: [
      binaryArray.uuid(named.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(named.map(({ recordUuid }) => recordUuid)),
    ],
  });
  return rows.map((row) => ({
    adaptorUuid: row.adaptor_uuid,
    recordUuid: row.record_uuid,
    domainVersionUuid: row.domain_version_uuid,
    drKey: row.dr_key,
    keyDigest: row.key_digest ?? undefined,
  }));
};
