import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { countDecided, type EventMeter } from '../../domain/events/event-meter.js';
import type { CrossingOutcome } from '../../domain/events/event-outcome.js';
import type { Relay } from '../relay/open-relay.js';
import type { CommittedBatch } from './committed-batch.js';
import type { Acknowledge } from './create-acknowledge.js';
import type { ParkedReleaser } from '../../issues/parked/create-parked-releaser.js';
import type { Intakes } from './intakes.js';
import type { QueuedEvent } from './queued-event.js';
import { releasedMeanwhile } from './refused-events.js';
import { byOperationalChain } from '../../issues/parked/released-by-catalog.js';
import { tellRefusals, type RefusalTelling } from './tell-refusals.js';

export interface CommitAnnouncement extends RefusalTelling {
  readonly view: Pick<CatalogView, 'catalog' | 'operational'>;
  readonly relay: Pick<Relay, 'queued'>;
  readonly intakes: Intakes;
  readonly acknowledge: Acknowledge;
  readonly releaser: Pick<ParkedReleaser, 'release'>;
  /** An event that crossed others is committed. */
  readonly onCrossed: (outcome: CrossingOutcome) => void;
  readonly meter: EventMeter;
  readonly now: () => Date;
}

/** Releases the events that may continue because of the batch, or because the catalog changed while it was under way. */
const releaseEvents = ({ view, releaser }: CommitAnnouncement, committed: CommittedBatch): void => {
  const { deniedBy, leftQueues, refused, unblocked, awaited } = committed;
  // the chain was changed while the batch was under way
  if (deniedBy !== undefined && deniedBy !== view.operational) releaser.release(byOperationalChain);
  for (const released of releasedMeanwhile(view.catalog, refused)) releaser.release(released);
  if (leftQueues.length > 0) releaser.release({ kind: 'QUEUES', queues: leftQueues });
  for (const events of unblocked) releaser.release(events);
  if (awaited.length > 0) releaser.release({ kind: 'AWAITED', keys: awaited });
};

const acknowledgeSources = (
  { acknowledge, intakes }: CommitAnnouncement,
  { sources }: CommittedBatch,
  batch: readonly QueuedEvent[],
): void => {
  for (const channel of sources) {
    acknowledge(channel.adaptorUuid, channel.upEpoch, channel.upApplied);
    const last = batch.findLast(
      ({ adaptor, position }) => adaptor.uuid === channel.adaptorUuid && position !== undefined,
    );
    intakes.commit(channel, last?.position);
  }
};

const queueDeliveries = ({ relay }: CommitAnnouncement, { destinations, deliveries }: CommittedBatch): void => {
  for (const channel of destinations) {
    relay.queued(
      channel,
      deliveries.filter(({ adaptorUuid }) => adaptorUuid === channel.adaptorUuid),
    );
  }
};

/** Counts the events, and notes the age of those that have just arrived. */
const meterEvents = (
  { meter, now }: CommitAnnouncement,
  { counted }: CommittedBatch,
  batch: readonly QueuedEvent[],
): void => {
  countDecided(meter, counted);
  const nowMs = now().getTime();
  for (const { adaptor, event, position } of batch) {
    const isReport = event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED';
    if (isReport && position !== undefined) meter.noteAge('committed', adaptor.uuid, nowMs - event.createTime);
  }
};

/** Passes on the result of a committed batch: to waiting events, to the sources and to the relay. */
export const announceCommit = (
  announcement: CommitAnnouncement,
  committed: CommittedBatch,
  batch: readonly QueuedEvent[],
): void => {
  releaseEvents(announcement, committed);
  for (const outcome of committed.crossed) announcement.onCrossed(outcome);
  meterEvents(announcement, committed, batch);
  tellRefusals(announcement, committed.newIssues);
  acknowledgeSources(announcement, committed, batch);
  queueDeliveries(announcement, committed);
};
