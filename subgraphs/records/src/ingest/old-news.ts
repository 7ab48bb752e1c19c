import type { SqlSession } from '@fds/database';
import { loadOvertaken } from '../store/issues/held-events.js';
import { laneOf, type LaneKey } from '../domain/issues/held-lanes.js';
import type { QueuedEvent } from './queued-event.js';

interface Keyless {
  readonly issueUuid: string;
  readonly lane: LaneKey;
}

const laneKeyOf = ({ adaptor, event: { version, key } }: QueuedEvent): LaneKey | undefined =>
  version === undefined || key === undefined
    ? undefined
    : { adaptorUuid: adaptor.uuid, domainVersionUuid: version.uuid, keyDigest: key.digest };

/**
 * The event as one that was parked without a key, and so parked no others: later events may have continued. A person may
 * insist on it.
 */
const keylessOf = (queued: QueuedEvent): Keyless | undefined => {
  const { held } = queued;
  if (held === undefined || held.keyDigest !== null || held.order !== undefined) return undefined;
  const lane = laneKeyOf(queued);
  return lane === undefined ? undefined : { issueUuid: held.issueUuid, lane };
};

/**
 * Issues whose adaptor has reported later of the same record. The channels of the adaptors are locked: no event of them
 * is committed in the meantime.
 */
export const findOldNews = async (session: SqlSession, batch: readonly QueuedEvent[]): Promise<ReadonlySet<string>> => {
  const keyless = batch.flatMap((queued) => keylessOf(queued) ?? []);
  return keyless.length === 0 ? new Set() : loadOvertaken(session, keyless);
};

/** Like `findOldNews`, with the earlier events of the batch itself. */
export const withNewsBefore = (
  overtaken: ReadonlySet<string>,
  accepted: readonly QueuedEvent[],
): ReadonlySet<string> => {
  if (accepted.every((queued) => keylessOf(queued) === undefined)) return overtaken;
  const reported = new Set<string>();
  const old = new Set(overtaken);
  for (const queued of accepted) {
    const lane = laneKeyOf(queued);
    const keyless = keylessOf(queued);
    if (keyless !== undefined && reported.has(laneOf(keyless.lane))) old.add(keyless.issueUuid);
    if (queued.held === undefined && lane !== undefined) reported.add(laneOf(lane));
  }
  return old;
};
