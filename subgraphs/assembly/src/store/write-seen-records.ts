import { writeVisibleRows, type VersionAccess } from '@fds/access-rules';
import { type SearchCondition, writeCondition, type DatabaseFeatures, type SqlParameters } from '@fds/search';

/** Records as SQL: rows of `r`. */
export interface SelectedRecords {
  readonly from: string;
  readonly conditions: readonly string[];
  /** The visible DR Key, and the adaptor that it belongs to; null means the record's own. */
  readonly key: string;
  readonly holder: string;
  readonly zone: string;
}

interface Wanted {
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly keyDigests: readonly Buffer[] | undefined;
  readonly condition: SearchCondition | undefined;
  /** Properties that must be visible in a record. */
  readonly required: readonly string[];
}

interface Writing {
  readonly parameters: SqlParameters;
  readonly features: DatabaseFeatures;
}

/**
 * The records that a caller may see: records with a visible link, whose key they show, and records without a link, with
 * the data of the server. Hidden keys match nothing.
 */
export const writeSeenRecords = (
  { domainType, keyDigests, condition, required }: Wanted,
  access: VersionAccess,
  { parameters, features }: Writing,
): SelectedRecords => {
  const digests = keyDigests === undefined ? undefined : `${parameters.add(keyDigests)}::bytea[]`;
  const found = (row: { readonly alias: string; readonly uuid: string }): string[] => [
    ...(digests === undefined ? [] : [`${row.alias}.key_digest = ANY(${digests})`]),
    ...(condition === undefined
      ? []
      : [writeCondition({ key: `${row.alias}.dr_key`, uuid: row.uuid, parameters, features }, condition)]),
  ];
  const own = [
    writeVisibleRows(access, { uuid: 'r.uuid', adaptor: null, required }, parameters),
    ...found({ alias: 'r', uuid: 'r.uuid' }),
  ];
  if (domainType === 'SERVICE_DATA_STORE') {
    return { from: 'data_record r', conditions: own, key: 'r.dr_key', holder: 'NULL::uuid', zone: 'NULL::uuid' };
  }
  const linked = [
    writeVisibleRows(access, { uuid: 'l.record_uuid', adaptor: 'l.adaptor_uuid', required }, parameters),
    ...found({ alias: 'l', uuid: 'l.record_uuid' }),
  ];
  return {
    from: `data_record r LEFT JOIN LATERAL (
             SELECT l.adaptor_uuid, a.zone_uuid, l.dr_key
             FROM record_link l JOIN adaptor a ON a.uuid = l.adaptor_uuid
             WHERE l.record_uuid = r.uuid AND ${linked.join(' AND ')} ORDER BY l.adaptor_uuid LIMIT 1
           ) AS seen ON true`,
    conditions: [
      `(seen.adaptor_uuid IS NOT NULL OR (${own.join(' AND ')}
         AND NOT EXISTS (SELECT FROM record_link k WHERE k.record_uuid = r.uuid)))`,
    ],
    key: 'coalesce(seen.dr_key, r.dr_key)',
    holder: 'seen.adaptor_uuid',
    zone: 'seen.zone_uuid',
  };
};
