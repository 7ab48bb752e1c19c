import { binaryArray, type SqlSession } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import { parseJson } from '@fds/json';
import { soundProperties, type InvalidEvent, type SoundPart } from '../../domain/issues/invalid-event.js';
import {
  queueOf,
  type BrakedOfQueue,
  type InvalidOfRecord,
  type OpenQueues,
  type QueueKey,
} from '../../domain/issues/parked-queues.js';
import { readSeen } from './parked-events.js';

interface ParkedRow {
  readonly parked: string;
  readonly issues: string[] | null;
  /** `<uuid> <issue>` */
  readonly braked: readonly string[] | null;
  readonly unreadable: readonly string[] | null;
  readonly invalid: readonly string[] | null;
}

/** A test on an issue `o`: its event can be read and is not valid (`invalidEventOf`). */
const isInvalid = `((o.cause = 'NOT_VALID' AND NOT EXISTS (
    SELECT FROM awaited_key k WHERE k.issue_uuid = o.uuid AND k.key_digest <> o.key_digest))
  OR (o.cause = 'FAULTY' AND o.exception = 'PARSING'))`;

const invalidEvents = (
  unreadable: readonly string[],
  readable: readonly string[],
): readonly (readonly [string, InvalidEvent])[] => [
  ...unreadable.map((uuid) => [uuid, { kind: 'UNREADABLE' }] as const),
  ...readable.map((uuid) => [uuid, { kind: 'READABLE', sound: undefined }] as const),
];

const toBraked = (text: string): BrakedOfQueue => {
  const [uuid = '', brakeUuid = ''] = text.split(' ');
  return { uuid, brakeUuid };
};

/**
 * Issues that block keys of adaptors as `<adaptor>:<version>:<digest>`: the first so many of each, in the order in
 * which they were raised.
 *
 * @param linked records that adaptors name by uuid alone: their events wait under the key of the adaptor's link, or of the
 *   record if the adaptor has no link (`queueDigestOf`)
 */
export const loadOpenIssues = async (
  client: SqlSession,
  keys: readonly { readonly adaptorUuid: string; readonly domainVersionUuid: string; readonly keyDigest: string }[],
  linked: readonly { readonly adaptorUuid: string; readonly recordUuid: string }[],
  limit: number,
): Promise<Omit<OpenQueues, 'ofRecords'>> => {
  if (keys.length === 0 && linked.length === 0) {
    return { issues: new Map(), invalid: new Map(), cut: new Set(), braked: new Map() };
  }
  const { rows } = await client.query<ParkedRow>({
    name: 'records-load-open-issues',
    text: `SELECT w.adaptor_uuid || ':' || w.version_uuid || ':' || encode(w.digest, 'hex') AS parked,
                  array_agg(i.uuid ORDER BY i.uuid) FILTER (WHERE i.brake_uuid IS NULL) AS issues,
                  array_agg(i.uuid || ' ' || i.brake_uuid) FILTER (WHERE i.brake_uuid IS NOT NULL) AS braked,
                  array_agg(i.uuid) FILTER (WHERE i.cause = 'UNREADABLE') AS unreadable,
                  array_agg(i.uuid) FILTER (WHERE i.is_invalid) AS invalid
           FROM (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])
                 UNION
                 SELECT n.adaptor_uuid, r.domain_version_uuid, coalesce(l.key_digest, r.key_digest)
                 FROM unnest($5::uuid[], $6::uuid[]) AS n(adaptor_uuid, record_uuid)
                 -- by the indexes, as in the lookup of records
                 CROSS JOIN LATERAL (SELECT * FROM data_record WHERE uuid = n.record_uuid OFFSET 0) r
                 LEFT JOIN LATERAL (
                   SELECT * FROM record_link WHERE record_uuid = n.record_uuid AND adaptor_uuid = n.adaptor_uuid OFFSET 0
                 ) l ON true
                ) AS w(adaptor_uuid, version_uuid, digest)
           CROSS JOIN LATERAL (
             SELECT o.uuid, o.cause, o.brake_uuid, ${isInvalid} AS is_invalid FROM data_issue o
             WHERE o.adaptor_uuid = w.adaptor_uuid AND o.domain_version_uuid = w.version_uuid
               AND o.key_digest = w.digest AND o.status = 'OPEN'
             ORDER BY o.uuid LIMIT $4
           ) i
           GROUP BY 1`,
    values: [
      binaryArray.uuid(keys.map((key) => key.adaptorUuid)),
      binaryArray.uuid(keys.map((key) => key.domainVersionUuid)),
      binaryArray.bytea(keys.map((key) => key.keyDigest)),
      limit,
      binaryArray.uuid(linked.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(linked.map(({ recordUuid }) => recordUuid)),
    ],
  });
  return {
    issues: new Map(rows.flatMap(({ parked, issues }) => (issues === null ? [] : [[parked, issues] as const]))),
    braked: new Map(rows.flatMap(({ parked, braked }) => (braked === null ? [] : [[parked, braked.map(toBraked)]]))),
    invalid: new Map(rows.flatMap(({ unreadable, invalid }) => invalidEvents(unreadable ?? [], invalid ?? []))),
    cut: new Set(rows.flatMap(({ parked, issues }) => ((issues?.length ?? 0) < limit ? [] : parked))),
  };
};

/** The open issues of events that adaptors reported about these records and that are not valid, and their parked deletions. */
export const loadInvalidOfRecords = async (
  client: SqlSession,
  named: readonly { readonly adaptorUuid: string; readonly recordUuid: string }[],
): Promise<Pick<OpenQueues, 'ofRecords' | 'invalid' | 'braked'>> => {
  if (named.length === 0) return { ofRecords: [], invalid: new Map(), braked: new Map() };
  const { rows } = await client.query<
    InvalidOfRecord & QueueKey & { readonly cause: string; readonly brakeUuid: string | null }
  >({
    name: 'records-load-invalid-of-records',
    text: `SELECT o.uuid AS "issueUuid", o.record_uuid AS "recordUuid", o.adaptor_uuid AS "adaptorUuid",
                  o.domain_version_uuid AS "domainVersionUuid", encode(o.key_digest, 'hex') AS "keyDigest", o.cause,
                  o.brake_uuid AS "brakeUuid"
           FROM unnest($1::uuid[], $2::uuid[]) AS n(adaptor_uuid, record_uuid)
           -- by the index, as in the lookup of records
           CROSS JOIN LATERAL (SELECT * FROM data_issue WHERE record_uuid = n.record_uuid AND status = 'OPEN' OFFSET 0) o
           WHERE o.adaptor_uuid = n.adaptor_uuid AND o.domain_version_uuid IS NOT NULL AND o.key_digest IS NOT NULL
             AND (o.cause = 'UNREADABLE' OR o.brake_uuid IS NOT NULL OR ${isInvalid})
           ORDER BY o.uuid`,
    values: [
      binaryArray.uuid(named.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(named.map(({ recordUuid }) => recordUuid)),
    ],
  });
  const of = (isReadable: boolean): string[] =>
    rows.flatMap(({ issueUuid, cause, brakeUuid }) =>
      brakeUuid !== null || (cause === 'UNREADABLE') === isReadable ? [] : issueUuid,
    );
  const braked = new Map<string, BrakedOfQueue[]>();
  for (const { issueUuid: uuid, brakeUuid, ...queue } of rows) {
    if (brakeUuid !== null) braked.set(queueOf(queue), [...(braked.get(queueOf(queue)) ?? []), { uuid, brakeUuid }]);
  }
  return {
    ofRecords: rows.map(({ issueUuid, recordUuid, adaptorUuid, domainVersionUuid, keyDigest }) => ({
      issueUuid,
      recordUuid,
      queue: { adaptorUuid, domainVersionUuid, keyDigest },
    })),
    invalid: new Map(invalidEvents(of(false), of(true))),
    braked,
  };
};

interface SoundRow {
  readonly uuid: string;
  readonly dataEvent: string;
  readonly errors: string;
  readonly seenApplied: bigint | null;
  readonly seenBegun: bigint | null;
}

/** The sound parts of events that are not valid. The oldest are read until their texts reach the size. */
export const loadSoundParts = async (
  client: SqlSession,
  issueUuids: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, SoundPart>> => {
  if (issueUuids.length === 0) return new Map();
  const { rows } = await client.query<SoundRow>({
    name: 'records-load-sound-parts',
    text: `SELECT uuid, data_event AS "dataEvent", coalesce(errors, '[]') AS errors, seen_applied AS "seenApplied",
                  seen_begun AS "seenBegun"
           FROM (SELECT i.*, sum(octet_length(data_event)) OVER (ORDER BY uuid) AS bytes
                 FROM data_issue i WHERE uuid = ANY ($1::uuid[]) AND data_event IS NOT NULL) i
           WHERE bytes <= $2::bigint`,
    values: [binaryArray.uuid(issueUuids), maxBytes],
  });
  return new Map(
    rows.map(({ uuid, dataEvent, errors, seenApplied, seenBegun }) => [
      uuid,
      {
        properties: soundProperties(dataEvent, parseJson(errors) as unknown as readonly ErrorCause[]),
        seen: readSeen(seenApplied, seenBegun),
      },
    ]),
  );
};
