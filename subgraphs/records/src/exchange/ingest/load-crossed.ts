import type { SqlSession } from '@fds/database';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { KnownContent } from '../../domain/routing/known-content.js';
import { messageId, type InFlightMessage } from '../../domain/routing/outbox.js';
import { nothingSeen, type Seen } from '../../domain/routing/seen.js';
import { unseenNotes } from '../../domain/routing/sent-notes.js';
import { toSeen } from '../../domain/routing/wire-seen.js';
import { loadInFlight } from '../../store/channels/delivery.js';
import type { LoadedRecords } from '../../store/records/load-records.js';
import type { QueuedEvent } from './queued-event.js';

/** The messages that the source had applied when it made the event. A parked event keeps the position at which it arrived. */
export const seenBy = (
  channel: Channel | undefined,
  { event, seen, parked }: Pick<QueuedEvent, 'event' | 'seen' | 'parked'>,
): Seen => parked?.seen ?? toSeen(channel, ('seen' in event ? event.seen : undefined) ?? seen);

/** How far each source had applied what it was sent, when it made the oldest of its events. */
const appliedBySource = (channels: ReadonlyMap<string, Channel>, batch: readonly QueuedEvent[]) => {
  const applied = new Map<string, number>();
  for (const queued of batch) {
    const { adaptor, event } = queued;
    if (event.kind !== 'RECORD_CHANGED' && event.kind !== 'RECORD_DELETED') continue;
    const known = applied.get(adaptor.uuid) ?? Number.POSITIVE_INFINITY;
    applied.set(adaptor.uuid, Math.min(known, seenBy(channels.get(adaptor.uuid), queued).applied));
  }
  return applied;
};

/** The messages that events of a batch may cross, by `messageId`. No statement without them. */
export const loadCrossed = async (
  session: SqlSession,
  channels: ReadonlyMap<string, Channel>,
  batch: readonly QueuedEvent[],
  { records, removedLinks }: LoadedRecords,
): Promise<ReadonlyMap<string, InFlightMessage>> => {
  const bySource = appliedBySource(channels, batch);
  const wanted: { readonly adaptorUuid: string; readonly sequence: number }[] = [];
  const want = (adaptorUuid: string, known: KnownContent | undefined, applied: number): void => {
    if (known === undefined || unseenNotes(known, { ...nothingSeen, applied }).length === 0) return;
    for (const { sequence } of known.sent) wanted.push({ adaptorUuid, sequence });
  };
  for (const { links, expected } of records) {
    for (const [adaptorUuid, applied] of bySource) {
      want(adaptorUuid, links.get(adaptorUuid)?.known ?? expected.get(adaptorUuid), applied);
    }
  }
  for (const { adaptorUuid, known } of removedLinks) {
    const applied = bySource.get(adaptorUuid);
    if (applied !== undefined) want(adaptorUuid, known, applied);
  }
  if (wanted.length === 0) return new Map();
  const distinct = new Map(wanted.map((each) => [messageId(each.adaptorUuid, each.sequence), each]));
  return loadInFlight(session, [...distinct.values()]);
};
