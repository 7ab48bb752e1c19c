import {
  acknowledged,
  adaptorSource,
  assigned,
  checkMessage,
  checkedForTimeout,
  closed,
  createSender,
  metReceiver,
  nextToSend,
  receive,
  sent,
  type Sender,
} from '@fds/adaptor-protocol';
import type { GovernanceRules, OperationalRules } from '@fds/governance-rules';
import { parseJson, type JsonObject } from '@fds/json';
import type { AdaptorView, Catalog, DomainVersionView } from '../../domain/catalog.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import { emptyReport, readDataEvent, readLink } from '../../domain/events/read-event.js';
import { unreadableData, unreadableEvent } from '../../domain/events/unreadable-event.js';
import { greetedAt, withHello, type Greeting } from '../../exchange/domain/greetings.js';
import { MalformedKeys } from '../../domain/issues/malformed-keys.js';
import { meetAdaptor, toHello, type Channel } from '../../domain/meet-adaptor.js';
import { RecordBook, type RecordState } from '../../domain/records/record-book.js';
import type { RemovedLink } from '../../domain/records/removed-links.js';
import { noReferences, ReferenceBook } from '../../domain/references/reference-book.js';
import { messageId, Outbox, type InFlightMessage } from '../../domain/routing/outbox.js';
import { indexSent, type SentMessage } from '../../domain/routing/sent-message.js';
import { decideBatch } from '../../exchange/ingest/decide-batch.js';
import { seenBy } from '../../exchange/ingest/load-crossed.js';
import type { QueuedEvent } from '../../exchange/ingest/queued-event.js';
import { toSentMessages } from '../sent-messages.js';
import type { DownMessage, UpMessage } from './mesh-adaptor.js';
import type { MeshClock } from './mesh-clock.js';
import { createMeshWaiting } from './mesh-waiting.js';
import { decodeKnown, encodeKnown } from '../../store/known-content/known-content-codec.js';

/** The server of a mesh: the real decisions over records in memory, in a bus and a time that are simulated. */
export interface MeshServer {
  readonly issues: readonly string[];
  readonly messages: number;
  /** Is nothing left to commit or to deliver? */
  readonly idle: boolean;
  take(adaptorUuid: string, message: UpMessage): void;
  disconnected(adaptorUuid: string): void;
  tick(): void;
  /** Tries the events again that wait: the rules have changed. */
  release(): void;
  /** Closes issues without a retry: the one with this place among the open ones, or all unreadable ones. */
  drop(choice: number | 'UNREADABLE'): void;
}

export interface MeshServerOptions {
  readonly adaptors: readonly AdaptorView[];
  readonly governance: GovernanceRules;
  /** Their state at the call. */
  readonly rules: () => { readonly version: DomainVersionView; readonly operational: OperationalRules };
  /** Acknowledged messages of an outbox that keep their content. */
  readonly keptMessages: number;
  /** An event overrides properties of the event of a transaction. Default: no report. */
  readonly onOverridden?: ((transactionUuid: string, properties: readonly string[]) => void) | undefined;
  /** A person dropped the event. Default: no report. */
  readonly onDropped?: ((dataEvent: string) => void) | undefined;
  readonly clock: MeshClock;
  readonly newUuid: () => string;
  readonly send: (adaptorUuid: string, message: DownMessage) => void;
  /** How long the next commit takes, in milliseconds. */
  readonly commitMs: () => number;
}

interface OutboxRow {
  readonly eventUuid: string;
  readonly text: string;
  /** Null some time after it is acknowledged, as the table has it. */
  message: string | null;
}

/** The server's state of an adaptor. */
interface End {
  channel: Channel;
  sender: Sender;
  sentOnce: number;
  /** The position to which its events were taken; ahead of the committed one. */
  taken: number;
  uncommitted: number;
  greetings: readonly Greeting[];
  readonly rows: OutboxRow[];
}

/** An event that waits for the next commit, which reads it. */
type Unread = Omit<QueuedEvent, 'event'> & { readonly read: () => IncomingEvent };

/** The known content is read again as the database has it. */
const storeKnown = ({ links, expected }: RecordState): void => {
  for (const link of links.values()) link.known = decodeKnown(encodeKnown(link.known));
  for (const [uuid, known] of expected) expected.set(uuid, decodeKnown(encodeKnown(known)));
};

export const createMeshServer = (options: MeshServerOptions): MeshServer => {
  const { rules, adaptors, governance, clock, newUuid, send, commitMs, keptMessages, onDropped } = options;
  const views = new Map(adaptors.map((view) => [view.uuid, view]));
  const catalog: Catalog = {
    version: (name, number) => (name === rules().version.domainName && number === 1 ? rules().version : undefined),
    versionByUuid: () => rules().version,
    adaptor: (uuid) => views.get(uuid),
    destinations: () => adaptors,
    bystanders: () => [],
  };
  const arrived: Unread[] = [];
  const waiting = createMeshWaiting();
  let releasing = false;
  const records = new Map<string, RecordState>();
  const removedLinks = new Map<string, RemovedLink>();
  const inFlight = new Map<string, InFlightMessage>();
  const sentMessages: SentMessage[] = [];
  /** By event. */
  const transactions = new Map<string, string>();
  let committing = false;
  let messages = 0;

  const openEnd = (adaptorUuid: string): End => {
    const downEpoch = newUuid();
    const channel: Channel = {
      adaptorUuid,
      downEpoch,
      downBase: 0,
      downSequence: 0,
      downAcked: 0,
      upEpoch: null,
      upApplied: 0,
    };
    const sender = createSender({ epoch: downEpoch, acked: 0, last: 0 });
    return { channel, sender, sentOnce: 0, taken: 0, uncommitted: 0, greetings: [], rows: [] };
  };
  const ends = new Map(adaptors.map(({ uuid }) => [uuid, openEnd(uuid)]));
  const requireEnd = (adaptorUuid: string): End => {
    const end = ends.get(adaptorUuid);
    if (end === undefined) throw new TypeError('an adaptor that is not of the mesh');
    return end;
  };

  const pump = (adaptorUuid: string): void => {
    const end = requireEnd(adaptorUuid);
    const range = nextToSend(end.sender);
    if (range === undefined) return;
    const { epoch } = end.sender;
    for (let sequence = range.from; sequence <= range.to; sequence += 1) {
      const row = end.rows[sequence - 1];
      if (row !== undefined) send(adaptorUuid, { kind: 'DATA', epoch, sequence, data: parseJson(row.text) as never });
    }
    end.sender = sent(end.sender, range.to, clock.nowMs);
    end.sentOnce = Math.max(end.sentOnce, range.to);
  };

  /** As `saveAcks` does: after the events that came before it. */
  const writeAck = (end: End): void => {
    if (end.uncommitted > 0 || end.channel.downAcked >= end.sender.acked) return;
    for (let sequence = end.channel.downAcked + 1; sequence <= end.sender.acked; sequence += 1) {
      const row = end.rows[sequence - 1 - keptMessages];
      if (row !== undefined) row.message = null;
    }
    end.channel = { ...end.channel, downAcked: end.sender.acked };
  };

  const commit = (): void => {
    committing = false;
    const batch = arrived.splice(0).map(({ read, ...queued }): QueuedEvent => ({ ...queued, event: read() }));
    const outbox = new Outbox((uuid) => ends.get(uuid)?.channel, inFlight, indexSent(sentMessages));
    const book = new RecordBook(records.values(), undefined, removedLinks.values());
    const references = new ReferenceBook(book, noReferences);
    const { operational } = rules();
    const { queues, settlement } = waiting.open();
    const { outcomes } = decideBatch(
      { catalog, governance, operational, book, outbox, references, newUuid },
      batch,
      { queues, malformed: new MalformedKeys(new Map()), settlement, staleReports: new Set() },
      (queued) => seenBy(requireEnd(queued.adaptor.uuid).channel, queued),
    );
    for (const outcome of outcomes) {
      sentMessages.push(...toSentMessages(outcome));
      if (outcome.event !== undefined) transactions.set(outcome.event.uuid, outcome.event.transactionUuid);
      for (const { eventUuid, properties } of outcome.event?.overrides ?? []) {
        options.onOverridden?.(transactions.get(eventUuid) ?? '', properties);
      }
      for (const { adaptorUuid, eventUuid, message, sequence: number } of outcome.deliveries) {
        const destination = requireEnd(adaptorUuid);
        const row: OutboxRow = { eventUuid, text: message, message };
        if (destination.rows.push(row) !== number) throw new TypeError('the numbers of an outbox have a gap');
        inFlight.set(messageId(adaptorUuid, number), row);
        messages += 1;
      }
    }
    for (const { adaptor, position } of batch) {
      if (position === undefined) continue;
      const end = requireEnd(adaptor.uuid);
      end.channel = { ...end.channel, upApplied: position.sequence };
      end.uncommitted -= 1;
    }
    const isProgress = waiting.save(outcomes, settlement);
    if (isProgress || batch.some(({ parked }) => parked === undefined)) releaseSoon();
    const { inserted, deleted, removedLinks: removed } = book.changes();
    for (const link of removed.forgotten) removedLinks.delete(`${link.keyDigest}:${link.adaptorUuid}`);
    for (const link of removed.kept)
      removedLinks.set(`${link.keyDigest}:${link.adaptorUuid}`, {
        ...link,
        known: decodeKnown(encodeKnown(link.known)),
      });
    for (const record of inserted) records.set(record.uuid, record);
    for (const uuid of deleted) records.delete(uuid);
    for (const record of records.values()) storeKnown(record);
    for (const [uuid, end] of ends) {
      end.channel = { ...end.channel, downSequence: end.rows.length };
      end.sender = assigned(end.sender, end.rows.length);
      writeAck(end);
      pump(uuid);
    }
    for (const uuid of new Set(
      batch.flatMap(({ adaptor, position }) => (position === undefined ? [] : adaptor.uuid)),
    )) {
      const { upEpoch, upApplied } = requireEnd(uuid).channel;
      if (upEpoch !== null) send(uuid, { kind: 'ACK', ack: { epoch: upEpoch, upto: upApplied } });
    }
  };
  const commitSoon = (): void => {
    if (committing) return;
    committing = true;
    clock.after(commitMs(), commit);
  };

  const release = (): void => {
    for (const parked of waiting.readable()) {
      const adaptor = views.get(parked.adaptorUuid);
      if (adaptor === undefined) continue;
      const read = (): IncomingEvent => readSent(adaptor, parseJson(parked.dataEvent) as JsonObject);
      arrived.push({ adaptor, read, position: undefined, parked });
    }
    if (arrived.length > 0) commitSoon();
  };
  /** As the releaser does: one release at a time, for the changes that earlier commits settled. */
  const releaseSoon = (): void => {
    if (releasing || waiting.readable().length === 0) return;
    releasing = true;
    clock.after(1 + commitMs(), () => {
      releasing = false;
      release();
    });
  };

  /** Reads the `data` of a message as the bus's door does. */
  const readSent = (adaptor: AdaptorView, data: JsonObject): IncomingEvent => {
    const stamp = { id: 'x', source: adaptorSource(adaptor.uuid), type: 'fds.data.v1', time: '' } as const;
    const checked = checkMessage('up/data', { ...stamp, data });
    if (!checked.ok) return unreadableEvent(catalog, adaptor, unreadableData(data, checked.faults));
    if (checked.value.type !== stamp.type) throw new TypeError('a report of links is not a data event');
    return readDataEvent(catalog, adaptor, checked.value.data);
  };

  const takeData = (view: AdaptorView, message: Extract<UpMessage, { readonly kind: 'DATA' }>): void => {
    const end = requireEnd(view.uuid);
    const { channel, sender, greetings } = end;
    const reception = receive({ epoch: channel.upEpoch, sequence: end.taken }, message);
    if (reception === 'DUPLICATE' && channel.upEpoch !== null) {
      send(view.uuid, { kind: 'ACK', ack: { epoch: channel.upEpoch, upto: channel.upApplied } });
    }
    if (reception === 'GAP') send(view.uuid, { kind: 'HELLO', hello: toHello(channel) });
    if (reception !== 'APPLY') return;
    const { sequence } = message;
    end.taken = sequence;
    end.uncommitted += 1;
    const position = { epoch: sender.epoch, applied: sender.acked, begun: Math.max(end.sentOnce, sender.acked) };
    const seen = greetedAt(greetings, sequence) ?? position;
    const read = (): IncomingEvent =>
      'event' in message
        ? readSent(view, parseJson(JSON.stringify(message.event)) as JsonObject)
        : (readLink(catalog, view, message.link) ?? emptyReport(view));
    arrived.push({ adaptor: view, read, position: { epoch: message.epoch, sequence }, seen });
    commitSoon();
  };

  return {
    get issues() {
      return waiting.issues;
    },
    get messages() {
      return messages;
    },
    get idle() {
      return (
        arrived.length === 0 && !releasing && [...ends.values()].every(({ sender }) => sender.acked === sender.last)
      );
    },
    take: (adaptorUuid, message) => {
      const end = requireEnd(adaptorUuid);
      const view = views.get(adaptorUuid);
      if (view === undefined) return;
      if (message.kind === 'DATA') takeData(view, message);
      if (message.kind === 'ACK') {
        end.sender = acknowledged(end.sender, message.ack, clock.nowMs);
        writeAck(end);
        pump(adaptorUuid);
      }
      if (message.kind === 'HELLO') {
        const { hello } = message;
        end.channel = meetAdaptor(end.channel, hello, { own: 'GO_ON', theirs: 'TAKE' }, newUuid);
        if (end.uncommitted === 0) end.taken = end.channel.upApplied;
        const { downEpoch, downAcked, downSequence } = end.channel;
        end.greetings = withHello(end.greetings, end.channel, hello, end.taken);
        const space = createSender({ epoch: downEpoch, acked: downAcked, last: downSequence });
        end.sender = metReceiver(space, { epoch: downEpoch, applied: downAcked }, clock.nowMs);
        writeAck(end);
        send(adaptorUuid, { kind: 'HELLO', hello: toHello(end.channel) });
        pump(adaptorUuid);
      }
      if (message.kind === 'LINK') {
        const read = (): IncomingEvent => readLink(catalog, view, message.link) ?? emptyReport(view);
        arrived.push({ adaptor: view, read, position: undefined });
        commitSoon();
      }
    },
    disconnected: (adaptorUuid) => {
      const end = requireEnd(adaptorUuid);
      end.sender = closed(end.sender);
    },
    tick: () => {
      for (const [uuid, end] of ends) {
        end.sender = checkedForTimeout(end.sender, clock.nowMs);
        pump(uuid);
      }
    },
    release,
    drop: (choice) => {
      for (;;) {
        const parked = waiting.drop((issues) =>
          choice === 'UNREADABLE'
            ? issues.find(({ cause }) => cause === 'UNREADABLE')
            : issues.filter(({ cause }) => cause !== 'HELD')[choice],
        );
        if (parked !== undefined) onDropped?.(parked.dataEvent);
        if (parked === undefined || choice !== 'UNREADABLE') break;
      }
      releaseSoon();
    },
  };
};
