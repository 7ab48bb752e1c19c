import type { LinkReport } from '@fds/adaptor-protocol';
import type { ServerBus } from '@fds/adaptor-bus';
import type { Database } from '@fds/database';
import { createKeyQueues, type Closable, type Log } from '@fds/service';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { EventMeter } from '../../domain/events/event-meter.js';
import type { CrossingOutcome } from '../../domain/events/event-outcome.js';
import type { Leases } from '../relay/open-leases.js';
import type { Relay } from '../relay/open-relay.js';
import { announceCommit } from './announce-commit.js';
import { commitFresh } from './commit-fresh.js';
import { createAcknowledge } from './create-acknowledge.js';
import { createBatchLoop, type BatchLoop } from './create-batch-loop.js';
import { createDataTaker } from './create-data-taker.js';
import { createHandshakes } from './create-handshakes.js';
import { createParkedReleaser, type ParkedReleaser } from '../../issues/parked/create-parked-releaser.js';
import { createLinkTaker } from './create-link-taker.js';
import { createMessageReader } from './create-message-reader.js';
import { createPositionTakers } from './create-position-takers.js';
import { Intakes } from './intakes.js';
import { releasedByCatalog } from '../../issues/parked/released-by-catalog.js';
import { takeOverPatiently } from './take-over-patiently.js';

export interface IngestDependencies {
  readonly database: Database;
  readonly bus: ServerBus;
  readonly view: CatalogView;
  readonly leases: Leases;
  readonly relay: Relay;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  /** When this process began, by the clock of the database. */
  readonly openedAt: Date;
  /** An event that crossed others is committed. */
  readonly onCrossed: (outcome: CrossingOutcome) => void;
  /** A message of an adaptor is larger than the bus allows. */
  readonly onOversized: () => void;
  readonly meter: EventMeter;
}

/** The adaptor bus's door to records: `up/data`, `up/hello`, `up/ack`, `up/link`. */
export interface Ingest extends Closable {
  /** This process serves the adaptors from now on, without a handshake: asks them for their positions. */
  takeOver(adaptorUuids: readonly string[]): Promise<void>;
  /** Another process serves the adaptors. */
  drop(adaptorUuids: readonly string[]): void;
  /** Another process will serve the adaptor. Resolves when what was taken from it is committed. */
  handOver(adaptorUuid: string): Promise<void>;
  /** Commits links of an adaptor that this process runs. Rejects when they are not committed. */
  link(adaptorUuid: string, report: LinkReport): Promise<void>;
  /** Events that wait with their issues. */
  readonly parked: Pick<ParkedReleaser, 'release' | 'retry'>;
}

/**
 * Takes over the data topics of the bus. Acknowledges what is committed, never what is only received.
 * Closing commits what was taken; the bus stays open.
 */
export const createIngest = (dependencies: IngestDependencies): Ingest => {
  const { database, bus, view, leases, relay, log, newUuid } = dependencies;
  const closing = new AbortController();
  const queues = createKeyQueues();
  const intakes = new Intakes();
  /** Settles with the last event that was taken from the adaptor. */
  const lastEvents = new Map<string, Promise<unknown>>();
  const acknowledge = createAcknowledge(dependencies);
  const reader = createMessageReader(dependencies);

  const handshakes = createHandshakes({
    ...dependencies,
    nowMs: () => performance.now(),
    acknowledgedUpto: (adaptorUuid, epoch) => intakes.appliedIn(adaptorUuid, epoch),
    onMet: (channel, hello) => intakes.meet(channel, hello),
  });

  const loop: BatchLoop = createBatchLoop({
    log,
    commit: (batch) =>
      commitFresh(
        {
          database,
          newUuid,
          rules: () => ({ catalog: view.catalog, governance: view.governance, operational: view.operational }),
        },
        view,
        batch,
      ),
    onCommitted: (committed, batch) =>
      announceCommit({ ...dependencies, intakes, acknowledge, releaser }, committed, batch),
    onGivenUp: (batch) => {
      for (const { adaptor } of batch) intakes.forget(adaptor.uuid);
    },
  });
  const releaser = createParkedReleaser({ database, view, log, commit: (event) => loop.add(event) });
  view.onUnblocked((unblocked) => {
    for (const released of releasedByCatalog(unblocked)) releaser.release(released);
  });
  // anything may have changed while no process followed
  releaser.release({ kind: 'ALL' });

  /** Messages of a deactivated adaptor are neither taken nor acknowledged: an external broker may keep it connected. */
  const findActive = async (adaptorUuid: string): Promise<AdaptorView | undefined> => {
    const adaptor = view.catalog.adaptor(adaptorUuid) ?? (await view.findAdaptor(adaptorUuid));
    return adaptor?.active === true ? adaptor : undefined;
  };

  const takeData = createDataTaker({
    database,
    relay,
    log,
    newUuid,
    findActive,
    handshakes,
    intakes,
    reader,
    acknowledge,
    loop,
    onArrival: (arrival) => dependencies.meter.countEvents('received', arrival, 1),
    onQueued: (adaptorUuid, settled) => lastEvents.set(adaptorUuid, settled),
  });
  const links = createLinkTaker({ log, findActive, handshakes, leases, reader, loop });
  const { takeHello, takeAck, takeWaiting } = createPositionTakers({
    relay,
    log,
    handshakes,
    lastEvent: (adaptorUuid) => lastEvents.get(adaptorUuid),
    lastReports: (adaptorUuid) => bus.reportsHandled(adaptorUuid),
  });

  const inQueue = (adaptorUuid: string, task: () => Promise<void>): Promise<void> =>
    closing.signal.aborted ? Promise.resolve() : queues.run(adaptorUuid, task);

  /** Only this service acts for an adaptor that it runs, even if another client has its credentials. */
  const isVirtual = (adaptorUuid: string): boolean => view.catalog.adaptor(adaptorUuid)?.webhookRevision !== undefined;

  const steps = { data: takeData, hello: takeHello, ack: takeAck, link: links.take } as const;
  for (const kind of ['data', 'hello', 'ack', 'link'] as const) {
    bus.handle(kind, (message) =>
      isVirtual(message.adaptorUuid) ? Promise.resolve() : inQueue(message.adaptorUuid, () => steps[kind](message)),
    );
  }

  bus.observe('ops', (message) => {
    if (isVirtual(message.adaptorUuid)) return;
    inQueue(message.adaptorUuid, () => takeWaiting(message)).catch((error: unknown) => {
      log.warn({ err: error, adaptorUuid: message.adaptorUuid }, 'a report of waiting messages could not be taken');
    });
  });

  const takeOver = {
    leases,
    signal: closing.signal,
    log,
    continueWith: (adaptorUuid: string) => inQueue(adaptorUuid, () => handshakes.continueWith(adaptorUuid)),
  };

  const drop = (adaptorUuid: string): void => {
    intakes.forget(adaptorUuid);
    lastEvents.delete(adaptorUuid);
    handshakes.forget(adaptorUuid);
    relay.drop(adaptorUuid);
  };

  return {
    parked: releaser,
    link: async (adaptorUuid, report) => {
      closing.signal.throwIfAborted();
      await links.commit(adaptorUuid, report);
    },
    takeOver: async (adaptorUuids) => {
      await Promise.all(adaptorUuids.map((adaptorUuid) => takeOverPatiently(takeOver, adaptorUuid)));
    },
    drop: (adaptorUuids) => {
      for (const adaptorUuid of adaptorUuids) drop(adaptorUuid);
    },
    handOver: (adaptorUuid) =>
      inQueue(adaptorUuid, async () => {
        // a commit that fails leaves its events with the adaptor, which sends them to the other process
        await lastEvents.get(adaptorUuid)?.catch(() => undefined);
        drop(adaptorUuid);
      }),
    close: async () => {
      closing.abort();
      await queues.settle();
      const released = releaser.close();
      await loop.close();
      await released;
    },
  };
};
