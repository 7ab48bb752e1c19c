import type { SqlSession } from '@fds/database';
import type { DomainVersionView } from '../../domain/catalog.js';
import { nearKeysOf } from '../../domain/events/near-keys-of.js';
import { malformedDeletion } from '../../domain/issues/malformed-keys.js';
import type { QueueKey } from '../../domain/issues/parked-queues.js';
import { matchingsOf } from '../../domain/records/near-records.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';
import { loadMalformedKeys } from '../../store/issues/load-malformed-keys.js';
import { loadInvalidOfRecords, loadOpenIssues } from '../../store/issues/load-open-issues.js';
import { lockOpenIssues } from '../../store/issues/settle-issues.js';
import { loadBrakes, type BrakedPlace } from '../../store/issues/mass-deletions.js';
import { lockMatching } from '../../store/matching/match-tokens.js';
import { requireMatchIndexes } from '../../store/matching/require-match-indexes.js';
import { loadRecords } from '../../store/records/load-records.js';
import { findStaleReports } from '../../issues/parked/stale-reports.js';
import type { QueuedEvent } from './queued-event.js';

/** The versions that events of a batch name. */
export const versionsOf = (batch: readonly QueuedEvent[]): DomainVersionView[] => [
  ...new Map(batch.flatMap(({ event: { version } }) => (version ? [[version.uuid, version] as const] : []))).values(),
];

const keysOf = (batch: readonly QueuedEvent[]): QueueKey[] =>
  batch.flatMap(({ adaptor, event: { version, key } }) =>
    version === undefined || key === undefined
      ? []
      : [{ adaptorUuid: adaptor.uuid, domainVersionUuid: version.uuid, keyDigest: key.digest }],
  );

/** Records that adaptors name by uuid alone: their key is that of the adaptor's link. */
const linkedOf = (batch: readonly QueuedEvent[]): { readonly adaptorUuid: string; readonly recordUuid: string }[] =>
  batch.flatMap(({ adaptor, event }) =>
    event.key === undefined && event.drUuid !== undefined
      ? [{ adaptorUuid: adaptor.uuid, recordUuid: event.drUuid }]
      : [],
  );

/** Records that data events name by uuid besides a key, which may be another one than before. */
const namedOf = (batch: readonly QueuedEvent[]): { readonly adaptorUuid: string; readonly recordUuid: string }[] =>
  batch.flatMap(({ adaptor, event }) =>
    event.key !== undefined && event.drUuid !== undefined && event.kind !== 'LINKED' && event.kind !== 'UNLINKED'
      ? [{ adaptorUuid: adaptor.uuid, recordUuid: event.drUuid }]
      : [],
  );

/** Those that adaptors name, and those that were decided on. */
const recordUuidsOf = (batch: readonly QueuedEvent[]): string[] =>
  batch.flatMap(({ event, parked }) => [
    ...('drUuid' in event && event.drUuid !== undefined ? [event.drUuid] : []),
    ...(parked?.order?.settled?.drUuid ? [parked.order.settled.drUuid] : []),
  ]);

const queuesOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: ParkedEvent): QueueKey[] =>
  domainVersionUuid === null || keyDigest === null ? [] : [{ adaptorUuid, domainVersionUuid, keyDigest }];

/** The adaptors with a deletion limit, and the versions of which they report deletions. */
const brakedBy = (batch: readonly QueuedEvent[]): BrakedPlace[] => {
  const places = new Map<string, BrakedPlace>();
  for (const { adaptor, event, parked } of batch) {
    const { uuid: adaptorUuid, deletionLimit } = adaptor;
    if (event.kind !== 'RECORD_DELETED' || deletionLimit === undefined || parked?.passesBrake === true) continue;
    const domainVersionUuid = event.version.uuid;
    const { seconds } = deletionLimit;
    places.set(`${adaptorUuid}:${domainVersionUuid}`, { adaptorUuid, domainVersionUuid, seconds });
  }
  return [...places.values()];
};

/** The open issues of a key that are read: a batch settles its own and an unreadable one before them; the next one holds the queue. */
export const parkedLimit = (batch: readonly QueuedEvent[]): number =>
  batch.filter(({ parked }) => parked !== undefined).length + 2;

/** Reads and locks what a batch may touch: one statement of each kind, for every size of the batch. */
export const batchReads = (sql: SqlSession, batch: readonly QueuedEvent[]) => {
  const keys = keysOf(batch);
  const matchings = matchingsOf(versionsOf(batch));
  const waiting = batch.flatMap(({ parked }) => parked ?? []);
  const issueUuids = waiting.map(({ issueUuid }) => issueUuid);
  return {
    lockMatching: () => lockMatching(sql, [...matchings.keys()]),
    requireMatchIndexes: () => requireMatchIndexes(sql, matchings),
    openIssues: () => lockOpenIssues(sql, issueUuids),
    parking: () => loadOpenIssues(sql, [...keys, ...waiting.flatMap(queuesOf)], linkedOf(batch), parkedLimit(batch)),
    ofRecords: () => loadInvalidOfRecords(sql, namedOf(batch)),
    brakes: () => loadBrakes(sql, brakedBy(batch)),
    malformed: () =>
      loadMalformedKeys(
        sql,
        batch.flatMap(({ event }) => malformedDeletion(event) ?? []),
      ),
    staleReports: () => findStaleReports(sql, batch),
    touched: () =>
      loadRecords(sql, {
        keys,
        uuids: recordUuidsOf(batch),
        near: matchings.size === 0 ? [] : nearKeysOf(batch.map(({ event }) => event)),
      }),
  };
};
