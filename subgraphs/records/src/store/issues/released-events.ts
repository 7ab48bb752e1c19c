import type { SqlParameters } from '@fds/search';
import type { IssueCause } from '../../domain/events/event-outcome.js';
import type { UnblockedEvents } from '../../domain/issues/unblocked-by.js';
import type { RecordKey } from '../../domain/records/record-key.js';
import type { QueueKey } from '../../domain/issues/parked-queues.js';

/** Which events may go on: their cause may be gone. The events behind them follow when they have been processed. */
export type ReleasedEvents =
  /** Any event whose cause may have changed while no process watched. */
  | { readonly kind: 'ALL' }
  | UnblockedEvents
  /** Those that wait for a key of these versions. */
  | { readonly kind: 'AWAITED_OF'; readonly versionUuids: readonly string[] }
  | { readonly kind: 'VERSIONS'; readonly uuids: readonly string[] }
  | { readonly kind: 'ADAPTORS'; readonly uuids: readonly string[] }
  /** Deletions that are parked with an issue MASS_DELETION and that a person lets through. */
  | { readonly kind: 'BRAKE'; readonly issueUuid: string }
  | { readonly kind: 'QUEUES'; readonly queues: readonly QueueKey[] };

/** Causes of events that wait for something else than an event in front of them. UNREADABLE events stay unreadable. */
const causes: readonly IssueCause[] = [
  'FAULTY',
  'UNKNOWN_VERSION',
  'NOT_VALID',
  'NOT_CAPABLE',
  'IN_USE',
  'KEY_TAKEN',
  'OPERATIONAL',
  'AMBIGUOUS',
];

/** Does the issue keep an event that has not been processed? */
export const isWaiting = (cause: IssueCause | null): boolean =>
  cause === 'HELD' || cause === 'UNREADABLE' || (cause !== null && causes.includes(cause));

const hasCause = `i.cause IN (${causes.map((cause) => `'${cause}'`).join(', ')})`;

/** A test on an issue `i`: does it keep an event that waits? */
export const waits = `(${hasCause} OR i.cause IN ('HELD', 'UNREADABLE'))`;

// the event that it waited for was dropped, or was processed a moment ago
// a deletion that is parked with an issue MASS_DELETION waits until a person lets it through
const passes = `(i.brake_uuid IS NULL OR EXISTS (
  SELECT FROM mass_deletion m WHERE m.issue_uuid = i.brake_uuid AND m.decision = 'PASS'))`;

const isFront = `(i.cause = 'HELD' AND ${passes} AND NOT EXISTS (
  SELECT FROM data_issue f
  WHERE f.adaptor_uuid = i.adaptor_uuid AND f.domain_version_uuid = i.domain_version_uuid
    AND f.key_digest = i.key_digest AND f.status = 'OPEN' AND f.uuid < i.uuid AND f.brake_uuid IS NULL))`;

/** Still there: another record has the key of `i`. */
const isTaken = `
  (EXISTS (SELECT FROM record_link l
           WHERE l.domain_version_uuid = i.domain_version_uuid AND l.adaptor_uuid = i.adaptor_uuid
             AND l.key_digest = i.key_digest AND l.record_uuid IS DISTINCT FROM i.record_uuid)
   OR EXISTS (SELECT FROM data_record r
              WHERE r.domain_version_uuid = i.domain_version_uuid AND r.key_digest = i.key_digest
                AND r.uuid IS DISTINCT FROM i.record_uuid AND r.json IS NOT NULL))`;

/** Still there: another record refers to the one that `i` is about. */
const isReferredTo = `
  EXISTS (SELECT FROM record_reference f WHERE f.target_uuid = i.record_uuid AND f.record_uuid <> i.record_uuid)`;

/** A record has one of the keys that `i` waits for. */
const isThere = `
  EXISTS (SELECT FROM awaited_key k WHERE k.issue_uuid = i.uuid AND (
    EXISTS (SELECT FROM data_record r
            WHERE r.domain_version_uuid = k.domain_version_uuid AND r.key_digest = k.key_digest)
    OR EXISTS (SELECT FROM record_link l
               WHERE l.domain_version_uuid = k.domain_version_uuid AND l.key_digest = k.key_digest)))`;

/** The cause of `i` is gone, for causes that wait for keys. */
const isUnblocked = `${hasCause} AND CASE i.cause WHEN 'KEY_TAKEN' THEN NOT ${isTaken} ELSE ${isThere} END`;

const writeCause = (cause: IssueCause, parameters: SqlParameters): string =>
  `i.cause = ${parameters.add(cause)}${cause === 'IN_USE' ? ` AND NOT ${isReferredTo}` : ''}`;

const writeQueues = (
  queues: readonly QueueKey[],
  { after, limit }: ReleasedPage,
  parameters: SqlParameters,
): string => {
  const [adaptors, versions, digests] = [
    parameters.add(queues.map(({ adaptorUuid }) => adaptorUuid)),
    parameters.add(queues.map(({ domainVersionUuid }) => domainVersionUuid)),
    parameters.add(queues.map(({ keyDigest }) => keyDigest)),
  ];
  const behind = after === undefined ? '' : ` AND waiting.uuid > ${parameters.add(after)}::uuid`;
  // by the queues' index, and no more of a queue than the page takes
  return `i.uuid = ANY (ARRAY(
    SELECT o.uuid
    FROM unnest(${adaptors}::uuid[], ${versions}::uuid[], ${digests}::text[]) AS queue(adaptor_uuid, version_uuid, digest)
    CROSS JOIN LATERAL (
      SELECT waiting.uuid FROM data_issue waiting
      WHERE waiting.adaptor_uuid = queue.adaptor_uuid AND waiting.domain_version_uuid = queue.version_uuid
        AND waiting.key_digest = decode(queue.digest, 'hex') AND waiting.status = 'OPEN' AND waiting.brake_uuid IS NULL${behind}
      ORDER BY waiting.uuid LIMIT ${parameters.add(limit)}::int
    ) o)) AND (${hasCause} OR (i.cause = 'HELD' AND i.brake_uuid IS NULL))`;
};

const writeAwaited = (keys: readonly RecordKey[], parameters: SqlParameters): string => {
  const [versions, digests] = [
    parameters.add(keys.map(({ domainVersionUuid }) => domainVersionUuid)),
    parameters.add(keys.map(({ keyDigest }) => keyDigest)),
  ];
  // by the keys' index, independent of the planner's estimate for the issues
  return `i.uuid = ANY (ARRAY(
    SELECT k.issue_uuid FROM unnest(${versions}::uuid[], ${digests}::text[]) AS w(version_uuid, digest)
    CROSS JOIN LATERAL (
      SELECT issue_uuid FROM awaited_key
      WHERE domain_version_uuid = w.version_uuid AND key_digest = decode(w.digest, 'hex') OFFSET 0
    ) k)) AND ${isUnblocked}`;
};

const writeAwaitedOf = (versionUuids: readonly string[], parameters: SqlParameters): string => `
  i.uuid IN (
    SELECT k.issue_uuid FROM awaited_key k
    WHERE k.domain_version_uuid = ANY (${parameters.add(versionUuids)}::uuid[])) AND ${isUnblocked}`;

/** A page of events in the order of their arrival. */
export interface ReleasedPage {
  /** The last event of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
  /** A page ends when the text of its events reaches this size. It has at least one event. */
  readonly maxBytes: number;
}

/** A test on open issues `i` that keep an event. */
export const writeReleased = (released: ReleasedEvents, page: ReleasedPage, parameters: SqlParameters): string => {
  switch (released.kind) {
    case 'ALL':
      return `(${hasCause} OR ${isFront})`;
    case 'CAUSE':
      return writeCause(released.cause, parameters);
    case 'AWAITED':
      return writeAwaited(released.keys, parameters);
    case 'AWAITED_OF':
      return writeAwaitedOf(released.versionUuids, parameters);
    case 'VERSIONS':
      return `i.domain_version_uuid = ANY (${parameters.add(released.uuids)}::uuid[]) AND ${hasCause}`;
    case 'ADAPTORS':
      return `i.adaptor_uuid = ANY (${parameters.add(released.uuids)}::uuid[]) AND (${hasCause} OR ${isFront})`;
    case 'BRAKE':
      return `i.brake_uuid = ${parameters.add(released.issueUuid)}::uuid AND i.cause = 'HELD'`;
    case 'QUEUES':
      return writeQueues(released.queues, page, parameters);
  }
};
