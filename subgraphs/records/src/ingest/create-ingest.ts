import { setTimeout as delay } from 'node:timers/promises';
import {
  checkMessage,
  describeFaults,
  parseEnvelope,
  parseMessage,
  parseNumbering,
  receive,
  serverSource,
  buildMessage,
  type LinkReport,
} from '@fds/adaptor-protocol';
import type { ServerBus, UpMessage } from '@fds/adaptor-bus';
import type { Database } from '@fds/database';
import { createKeyQueues, type Closable, type Log } from '@fds/service';
import { findReferencedVersions } from '../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { IncomingEvent } from '../domain/events/incoming-event.js';
import { greetedAt, withHello, type Greeting } from '../domain/greetings.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { emptyReport, readDataEvent, readLink } from '../domain/events/read-event.js';
import { isOversized, unreadableData, unreadablePayload } from '../domain/events/unreadable-event.js';
import type { AdaptorView } from '../domain/catalog.js';
import type { Leases } from '../relay/open-leases.js';
import type { Relay } from '../relay/open-relay.js';
import { ensureChannels, loadChannels } from '../store/channels/channel.js';
import type { CommittedBatch } from './commit-batch.js';
import type { QueuedEvent } from './queued-event.js';
import type { CrossingOutcome } from '../domain/events/event-outcome.js';
import { commitFresh } from './commit-fresh.js';
import { createBatchLoop } from './create-batch-loop.js';
import { createHandshakes } from './create-handshakes.js';
import { createHeldReleaser, type HeldReleaser } from './create-held-releaser.js';
import { readUnreadable } from './read-unreadable.js';
import { releasedMeanwhile } from './refused-events.js';
import { tellRefusals } from './tell-refusals.js';

export interface IngestDependencies {
  readonly database: Database;
  readonly bus: ServerBus;
  readonly view: CatalogView;
  readonly leases: Leases;
  readonly relay: Relay;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  /** An event that crossed others is committed. */
  readonly onCrossed: (outcome: CrossingOutcome) => void;
  /** A message of an adaptor is larger than the bus allows. */
  readonly onOversized: () => void;
}

/** The position to which this process has taken an adaptor's messages: `taken` is ahead of the committed one. */
interface Intake {
  readonly epoch: string | null;
  readonly sequence: number;
  /** The last committed one: the answer to a duplicate. */
  applied: number;
  /** Positions of the adaptor when it made events that had not arrived at a hello. */
  readonly greetings: readonly Greeting[];
  /** When the adaptor was last asked to go back: not again for every message beyond the gap. */
  gapAskedMs: number | undefined;
}

const startAt = (
  { upEpoch, upApplied }: Pick<Channel, 'upEpoch' | 'upApplied'>,
  greetings: readonly Greeting[] = [],
): Intake => ({ epoch: upEpoch, sequence: upApplied, applied: upApplied, greetings, gapAskedMs: undefined });

/** Reports of links come on `up/link`, or in the sequence on `up/data`. */
const linkType = 'fds.link.v1';
const gapAskIntervalMs = 1_000;
const takeOverRetryMs = 500;

const byOperationalChain = { kind: 'CAUSE', cause: 'OPERATIONAL' } as const;

/** The adaptor bus's door to records: `up/data`, `up/hello`, `up/ack`, `up/link`. */
export interface Ingest extends Closable {
  /** This process serves the adaptors from now on, without a handshake: asks them for their positions. */
  takeOver(adaptorUuids: readonly string[]): Promise<void>;
  /** Another process serves the adaptors. */
  drop(adaptorUuids: readonly string[]): void;
  /** Commits links of an adaptor that this process runs. Rejects when they are not committed. */
  link(adaptorUuid: string, report: LinkReport): Promise<void>;
  /** Events that wait with their issues. */
  readonly held: Pick<HeldReleaser, 'release' | 'retry'>;
}

/**
 * Takes over the data topics of the bus. Acknowledges what is committed, never what is only received.
 * Closing commits what was taken; the bus stays open.
 */
export const createIngest = (dependencies: IngestDependencies): Ingest => {
  const { database, bus, view, leases, relay, log, now, newUuid, onCrossed, onOversized } = dependencies;
  const queues = createKeyQueues();
  const intakes = new Map<string, Intake>();
  /** Settles with the last event that was taken from the adaptor. */
  const lastEvents = new Map<string, Promise<unknown>>();
  const closing = new AbortController();

  const acknowledge = (adaptorUuid: string, epoch: string | null, upto: number): void => {
    if (epoch === null) return;
    const envelope = { id: newUuid(), source: serverSource, time: now().toISOString() };
    const data = { epoch, upto };
    bus
      .publish(adaptorUuid, 'ack', buildMessage('down/ack', { ...envelope, type: 'fds.ack.v1', data }))
      .catch((error: unknown) => log.debug({ err: error, adaptorUuid }, 'the bus did not take an acknowledgement'));
  };

  const handshakes = createHandshakes({
    database,
    bus,
    view,
    leases,
    relay,
    log,
    now,
    nowMs: () => performance.now(),
    newUuid,
    acknowledgedUpto: (adaptorUuid, epoch) => {
      const intake = intakes.get(adaptorUuid);
      return intake?.epoch === epoch ? intake.applied : 0;
    },
    onMet: (channel, hello) => {
      const { adaptorUuid } = channel;
      const intake = intakes.get(adaptorUuid);
      // if another process served the adaptor, this one does not know how far events were taken
      const before = hello !== undefined && intake?.epoch === channel.upEpoch ? intake : startAt(channel);
      const greetings = hello === undefined ? [] : withHello(before.greetings, channel, hello, before.sequence);
      intakes.set(adaptorUuid, { ...before, greetings, gapAskedMs: undefined });
    },
  });

  const onCommitted = (committed: CommittedBatch, batch: readonly QueuedEvent[]): void => {
    const { sources, destinations, deliveries } = committed;
    const { deniedBy, leftLanes, refused, newIssues, mended, awaited, crossed } = committed;
    // the chain was changed while the batch was under way
    if (deniedBy !== undefined && deniedBy !== view.operational) releaser.release(byOperationalChain);
    for (const released of releasedMeanwhile(view.catalog, refused)) releaser.release(released);
    if (leftLanes.length > 0) releaser.release({ kind: 'LANES', lanes: leftLanes });
    for (const events of mended) releaser.release(events);
    if (awaited.length > 0) releaser.release({ kind: 'AWAITED', keys: awaited });
    for (const outcome of crossed) onCrossed(outcome);
    tellRefusals({ bus, log, now, newUuid }, newIssues);
    for (const channel of sources) {
      acknowledge(channel.adaptorUuid, channel.upEpoch, channel.upApplied);
      const intake = intakes.get(channel.adaptorUuid);
      if (intake?.epoch === channel.upEpoch) intake.applied = channel.upApplied;
      const ends = batch.filter(({ adaptor }) => adaptor.uuid === channel.adaptorUuid);
      const expected = ends.findLast(({ position }) => position !== undefined)?.position;
      // another process took them, or the adaptor began a new epoch: what we believe is stale
      if (expected !== undefined && (expected.epoch !== channel.upEpoch || expected.sequence > channel.upApplied)) {
        intakes.delete(channel.adaptorUuid);
      }
    }
    for (const channel of destinations) {
      relay.queued(
        channel,
        deliveries.filter(({ adaptorUuid }) => adaptorUuid === channel.adaptorUuid),
      );
    }
  };

  const loop = createBatchLoop({
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
    onCommitted,
    onGivenUp: (batch) => {
      for (const { adaptor } of batch) intakes.delete(adaptor.uuid);
    },
  });

  const releaser = createHeldReleaser({ database, view, loop, log });
  view.onMended(({ versions, adaptors, operational }) => {
    if (operational) releaser.release(byOperationalChain);
    if (adaptors.length > 0) releaser.release({ kind: 'ADAPTORS', uuids: adaptors });
    if (versions.length === 0) return;
    releaser.release({ kind: 'VERSIONS', uuids: versions });
    releaser.release({ kind: 'CAUSE', cause: 'UNKNOWN_VERSION' });
  });
  // anything may have changed while no process followed
  releaser.release({ kind: 'ALL' });

  const requireIntake = async (adaptorUuid: string): Promise<Intake> => {
    const known = intakes.get(adaptorUuid);
    if (known !== undefined) return known;
    await ensureChannels(database.pool, [adaptorUuid], newUuid);
    const channel = (await loadChannels(database.pool, [adaptorUuid])).get(adaptorUuid);
    const intake = startAt(channel ?? { upEpoch: null, upApplied: 0 });
    intakes.set(adaptorUuid, intake);
    return intake;
  };

  /** Messages of a deactivated adaptor are neither taken nor acknowledged: an external broker may keep it connected. */
  const findActive = async (adaptorUuid: string): Promise<AdaptorView | undefined> => {
    const adaptor = view.catalog.adaptor(adaptorUuid) ?? (await view.findAdaptor(adaptorUuid));
    return adaptor?.active === true ? adaptor : undefined;
  };

  const readEvent = async (
    adaptor: AdaptorView,
    envelope: Parameters<typeof checkMessage>[1],
  ): Promise<IncomingEvent> => {
    const checked = checkMessage('up/data', envelope);
    if (!checked.ok) return readUnreadable(view, adaptor, unreadableData(envelope.data, checked.faults));
    if (checked.value.type === linkType) return emptyReport(adaptor);
    const event = readDataEvent(view.catalog, adaptor, checked.value.data);
    if (event.kind === 'RECORD_CHANGED') await findReferencedVersions(view, event.version.model);
    return event;
  };

  /** Reads the links of a report that are valid and name a known version. */
  const readLinks = async (
    adaptor: AdaptorView,
    { links }: LinkReport,
  ): Promise<readonly Required<Pick<QueuedEvent, 'event' | 'reread'>>[]> => {
    const found: Required<Pick<QueuedEvent, 'event' | 'reread'>>[] = [];
    for (const link of links) {
      await view.findVersion(link.domain, link.version);
      const event = readLink(view.catalog, adaptor, link);
      if (event === undefined) continue;
      found.push({ event, reread: async () => readLink(view.catalog, adaptor, link) ?? event });
    }
    return found;
  };

  /** The links of a message of the sequence; none of one that reports no links. */
  const readSequencedLinks = async (
    adaptor: AdaptorView,
    envelope: Parameters<typeof checkMessage>[1],
  ): ReturnType<typeof readLinks> => {
    if (envelope.type !== linkType) return [];
    const checked = checkMessage('up/link', envelope);
    return checked.ok ? readLinks(adaptor, checked.value.data) : [];
  };

  /** Reads an event as often as needed, without keeping the payload: a payload that is too large may be very large. */
  const readerOf = (
    payload: Uint8Array,
    envelope: ReturnType<typeof parseEnvelope>,
  ): ((adaptor: AdaptorView) => Promise<IncomingEvent>) => {
    if (envelope.ok) return (adaptor) => readEvent(adaptor, envelope.value);
    if (isOversized(envelope.faults)) onOversized();
    const message = unreadablePayload(payload, envelope.faults);
    return (adaptor) => readUnreadable(view, adaptor, message);
  };

  const takeData = async ({ adaptorUuid, payload }: UpMessage): Promise<void> => {
    // before any wait: later acknowledgements do not apply to this event
    const position = relay.position(adaptorUuid);
    if (!(await handshakes.serves(adaptorUuid))) return;
    const adaptor = await findActive(adaptorUuid);
    if (adaptor === undefined) return;
    const envelope = parseEnvelope(payload);
    const numbering = envelope.ok ? envelope.value : parseNumbering(payload);
    if (!envelope.ok) {
      log.warn({ adaptorUuid, faults: describeFaults(envelope.faults) }, 'an adaptor sent no envelope');
      // it has no number: the adaptor sends the message of that place again
      if (numbering === undefined) return;
    }
    const intake = intakes.get(adaptorUuid) ?? (await requireIntake(adaptorUuid));
    const { epoch, sequence } = numbering ?? {};
    const reception = receive(intake, {
      ...(epoch === undefined ? {} : { epoch }),
      ...(sequence === undefined ? {} : { sequence }),
    });
    if (reception === 'DUPLICATE') return acknowledge(adaptorUuid, intake.epoch, intake.applied);
    if (reception === 'GAP' || epoch === undefined || sequence === undefined) {
      const nowMs = performance.now();
      if (intake.gapAskedMs !== undefined && nowMs - intake.gapAskedMs < gapAskIntervalMs) return;
      intake.gapAskedMs = nowMs;
      // the committed position, not the taken one: the adaptor forgets the acknowledged messages. In an unknown sequence,
      // the adaptor has to send its position; in the known one it only goes back
      await handshakes.sendPosition(adaptorUuid, epoch === intake.epoch ? 'STATEMENT' : 'QUESTION');
      return;
    }
    const read = readerOf(payload, envelope);
    const links = envelope.ok ? await readSequencedLinks(adaptor, envelope.value) : [];
    // a report without valid links is read as an empty one
    const event = links.length > 0 ? undefined : await read(adaptor);
    // an event that arrived in discovery mode is discovery also when it is read again
    const { discoveryMode } = adaptor;
    const reread = (): Promise<IncomingEvent> =>
      read({ ...(view.catalog.adaptor(adaptorUuid) ?? adaptor), discoveryMode });
    intakes.set(adaptorUuid, {
      epoch,
      sequence,
      applied: intakes.get(adaptorUuid)?.applied ?? intake.applied,
      greetings: intake.greetings,
      gapAskedMs: undefined,
    });
    const seen = greetedAt(intake.greetings, sequence) ?? position;
    const place = { epoch, sequence };
    const events = event === undefined ? links : [{ event, reread }];
    const committed = loop.addAll(events.map((each) => ({ adaptor, ...each, position: place, seen })));
    lastEvents.set(
      adaptorUuid,
      committed.catch(() => undefined),
    );
  };

  const takeLinks = async (adaptorUuid: string, report: LinkReport): Promise<void> => {
    const adaptor = await findActive(adaptorUuid);
    if (adaptor === undefined) return;
    const links = await readLinks(adaptor, report);
    if (links.length > 0) await loop.addAll(links.map((link) => ({ adaptor, ...link, position: undefined })));
  };

  const inQueue = (adaptorUuid: string, task: () => Promise<void>): Promise<void> =>
    closing.signal.aborted ? Promise.resolve() : queues.run(adaptorUuid, task);

  const goOnUntilMet = async (adaptorUuid: string): Promise<void> => {
    const { signal } = closing;
    for (let done = false; !done && !signal.aborted && leases.holds(adaptorUuid);) {
      done = await inQueue(adaptorUuid, () => handshakes.continueWith(adaptorUuid)).then(
        () => true,
        (error: unknown) => {
          log.warn({ err: error, adaptorUuid }, 'a take-over failed, will repeat');
          return false;
        },
      );
      if (!done) await delay(takeOverRetryMs, undefined, { signal }).catch(() => undefined);
    }
  };

  /** Only this service acts for an adaptor that it runs, even if another client has its credentials. */
  const isVirtual = (adaptorUuid: string): boolean => view.catalog.adaptor(adaptorUuid)?.webhookRevision !== undefined;
  const handle = (kind: Parameters<ServerBus['handle']>[0], take: (message: UpMessage) => Promise<void>): void =>
    bus.handle(kind, (message) =>
      isVirtual(message.adaptorUuid) ? Promise.resolve() : inQueue(message.adaptorUuid, () => take(message)),
    );

  handle('data', takeData);
  handle('hello', async ({ adaptorUuid, payload }) => {
    const parsed = parseMessage('up/hello', payload);
    if (parsed.ok) {
      const { id, correlationid, data } = parsed.value;
      await handshakes.receiveHello(adaptorUuid, { id, correlationid, hello: data });
    } else log.warn({ adaptorUuid, faults: describeFaults(parsed.faults) }, 'an adaptor sent no hello');
  });
  handle('ack', async ({ adaptorUuid, payload }) => {
    const parsed = parseMessage('up/ack', payload);
    if (parsed.ok) {
      handshakes.acknowledged(adaptorUuid, parsed.value.data);
      relay.acknowledged(adaptorUuid, parsed.value.data, lastEvents.get(adaptorUuid));
    } else log.warn({ adaptorUuid, faults: describeFaults(parsed.faults) }, 'an adaptor sent no acknowledgement');
  });
  handle('link', async ({ adaptorUuid, payload }) => {
    if (!(await handshakes.serves(adaptorUuid))) return;
    const parsed = parseMessage('up/link', payload);
    if (parsed.ok) await takeLinks(adaptorUuid, parsed.value.data);
    else log.warn({ adaptorUuid, faults: describeFaults(parsed.faults) }, 'an adaptor sent no links');
  });

  return {
    held: releaser,
    link: async (adaptorUuid, report) => {
      closing.signal.throwIfAborted();
      await takeLinks(adaptorUuid, report);
    },
    takeOver: async (adaptorUuids) => {
      await Promise.all(adaptorUuids.map(goOnUntilMet));
    },
    drop: (adaptorUuids) => {
      for (const adaptorUuid of adaptorUuids) {
        intakes.delete(adaptorUuid);
        lastEvents.delete(adaptorUuid);
        handshakes.forget(adaptorUuid);
        relay.drop(adaptorUuid);
      }
    },
    close: async () => {
      closing.abort();
      await queues.settle();
      const released = releaser.close();
      await loop.close();
      await released;
    },
  };
};
