import type { SqlSession } from '@fds/database';
import { loadOvertaken } from '../../store/issues/parked-events.js';
import { queueOf, type QueueKey } from '../../domain/issues/parked-queues.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';

/** An event of a batch, as far as its place among the reports of its record depends on it. */
export interface BatchedReport {
  readonly adaptor: Pick<AdaptorView, 'uuid'>;
  readonly event: Pick<IncomingEvent, 'version' | 'key'>;
  readonly parked?: ParkedEvent;
}

interface Keyless {
  readonly issueUuid: string;
  readonly queue: QueueKey;
}

const queueKeyOf = ({ adaptor, event: { version, key } }: BatchedReport): QueueKey | undefined =>
  version === undefined || key === undefined
    ? undefined
    : { adaptorUuid: adaptor.uuid, domainVersionUuid: version.uuid, keyDigest: key.digest };

/**
 * The event as one that was parked without a key, and so parked no others: later events may have continued. A person may
 * insist on it.
 */
const keylessOf = (queued: BatchedReport): Keyless | undefined => {
  const { parked } = queued;
  if (parked === undefined || parked.keyDigest !== null || parked.order !== undefined) return undefined;
  const queue = queueKeyOf(queued);
  return queue === undefined ? undefined : { issueUuid: parked.issueUuid, queue };
};

/**
 * Issues whose adaptor has reported later of the same record. The channels of the adaptors are locked: no event of them
 * is committed in the meantime.
 */
export const findStaleReports = async (
  session: SqlSession,
  batch: readonly BatchedReport[],
): Promise<ReadonlySet<string>> => {
  const keyless = batch.flatMap((queued) => keylessOf(queued) ?? []);
  return keyless.length === 0 ? new Set() : loadOvertaken(session, keyless);
};

/** Like `findStaleReports`, with the earlier events of the batch itself. */
export const withReportsBefore = (
  overtaken: ReadonlySet<string>,
  accepted: readonly BatchedReport[],
): ReadonlySet<string> => {
  if (accepted.every((queued) => keylessOf(queued) === undefined)) return overtaken;
  const reported = new Set<string>();
  const old = new Set(overtaken);
  for (const queued of accepted) {
    const queue = queueKeyOf(queued);
    const keyless = keylessOf(queued);
    if (keyless !== undefined && reported.has(queueOf(keyless.queue))) old.add(keyless.issueUuid);
    if (queued.parked === undefined && queue !== undefined) reported.add(queueOf(queue));
  }
  return old;
};
