import { createHash } from 'node:crypto';
import { type EventMessage, parseJson, stringifyJson } from '@fds/adaptor-protocol';
import type { ReportBody } from '../../journal/build-reports.js';
import type { IncomingChange, Journal } from '../../journal/open-journal.js';
import type { WaitingMessage } from '../../journal/waiting-table.js';
import type { Outcome } from '../apply-event.js';
import type { Aside, KeyedTaskPool } from '../create-keyed-task-pool.js';
import type { Failure, ResourcesOptions } from './resources.js';
import { createWaitingRoom, type Turn } from './waiting-room.js';

type DataMessage = EventMessage<'down/data'>;

/**
 * Attempts messages, and keeps those that cannot be applied yet in the journal. They are attempted again without a place
 * of the others.
 */
export interface WaitingMessages {
  readonly size: number;
  readonly bytes: number;
  /** Bytes of the messages that are not in the journal yet. */
  readonly unstoredBytes: number;
  first(): number | undefined;
  /** Numbers of the last waiting messages, ascending. @param most maximum number of them. Default: all */
  sequences(most?: number): readonly number[];
  /**
   * Attempts a message that was just received, if no message before it waits and its resource may work; otherwise it
   * waits. Resolves with its reports, or with undefined when it was stopped.
   */
  attempt(message: DataMessage, aside: Aside): Promise<readonly ReportBody[] | undefined>;
  /** The changes since the last call, to be stored now. */
  takeChanges(): Pick<IncomingChange, 'added' | 'removed'>;
  /** Attempts the waiting messages from now on. */
  open(): void;
  /** Attempts a message for each faulty resource now. */
  retry(): void;
  /** Begins no attempt from now on. */
  close(): void;
  /** To be called when the attempts that had begun are over. */
  closed(): void;
  /** Forgets all messages, because there is a new sequence space. Results of attempts that run are dropped. */
  clear(): void;
}

export interface WaitingMessagesOptions extends ResourcesOptions {
  readonly journal: Pick<Journal['waiting'], 'list' | 'read'>;
  readonly tasks: KeyedTaskPool;
  /** Most waiting messages in memory to be attempted. */
  readonly maxTurns: () => number;
  /** Attempts to apply a message. Undefined: it was stopped. Must not reject. */
  readonly apply: (
    message: DataMessage,
    attempt: { readonly aside: Aside; readonly othersWork: () => boolean },
  ) => Promise<Outcome | undefined>;
  /** Most messages that wait in the journal, and their most bytes. Beyond it, no message is taken. */
  readonly limits: { readonly maxWaiting: number; readonly maxWaitingBytes: number };
  /** Called when a message begins to wait. */
  readonly onWaiting: () => void;
  /** Called when a message that waited was applied, or became an issue. */
  readonly onDone: (reports: readonly ReportBody[]) => void;
  readonly nowMs: () => number;
}

const longestKey = 200;

/** Bounded, because it stays in memory while messages wait. It has no line break. */
const nameOf = (text: string): string =>
  text.length > longestKey || text.includes('\n') ? createHash('sha256').update(text).digest('hex') : text;

/** Is a value of the DR Key missing, perhaps because governance removed it? Then the key may be that of many records. */
const isPartial = (drKey: string): boolean => {
  if (!drKey.includes('null')) return false;
  const values = parseJson(drKey);
  return !Array.isArray(values) || values.includes(null);
};

/**
 * The names by which messages stay in order: the message group, and for POST and DELETE the key of the record. A record that is
 * deleted and created again has another uuid, and so another group, but the same key.
 */
export const namesOf = ({ partitionkey, data }: DataMessage): readonly string[] => {
  const { action, drUuid, domain, version, drKey } = data;
  const group = nameOf(partitionkey ?? drUuid);
  if (action === 'PUT' || isPartial(drKey)) return [group];
  return [...new Set([group, nameOf(`${domain}:${version}:${drKey}`)])];
};

/** How long a message waits for an event that comes later. */
const patience = { quietMs: 10_000, longestMs: 3_600_000 };
/** Share of the journal that such messages may fill. The rest is for messages that wait for another reason. */
const shareOfOwn = 0.75;

const isApplied = (reports: readonly ReportBody[]): boolean =>
  reports.every((report) => !('error' in report) || report.error.level !== 'ERROR');

const domainOf = ({ data }: DataMessage): string => `${data.domain}:${data.version}`;

export const createWaitingMessages = (options: WaitingMessagesOptions): WaitingMessages => {
  const { journal, tasks, maxTurns, limits, nowMs } = options;
  const room = createWaitingRoom(journal.list(), options);
  /** When each message that waits for a later one first failed in this process. */
  const failedAtMs = new Map<number, number>();
  /** When a message last arrived, or was applied. */
  let activeAtMs = nowMs();
  const added = new Map<number, WaitingMessage>();
  let removed: number[] = [];
  let unstoredBytes = 0;
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** Waiting messages that are attempted. */
  const turns = new Set<Turn>();
  /** Number of the present sequence space. */
  let space = 0;

  const othersWork = (sequence: number, isWaiting: boolean): boolean => {
    const now = nowMs();
    const waitedMs = now - (failedAtMs.get(sequence) ?? now);
    const isCrowded =
      !isWaiting && (room.size >= limits.maxWaiting * shareOfOwn || room.bytes >= limits.maxWaitingBytes * shareOfOwn);
    if (isCrowded || waitedMs >= patience.longestMs) return false;
    return now - activeAtMs < patience.quietMs;
  };
  const noteFailed = (sequence: number, { isOwn }: Pick<Failure, 'isOwn'>): void => {
    if (isOwn && !failedAtMs.has(sequence)) failedAtMs.set(sequence, nowMs());
  };

  const wait = (message: DataMessage, waitsFor: string | null, failure?: Failure): void => {
    const body = stringifyJson(message);
    const bytes = Buffer.byteLength(body);
    const { sequence = 0 } = message;
    const names = namesOf(message);
    const entry = { sequence, group: room.groupOf(names), names, domain: domainOf(message), waitsFor, bytes };
    added.set(sequence, { ...entry, body });
    unstoredBytes += bytes;
    if (failure === undefined) room.add(entry);
    else {
      noteFailed(sequence, failure);
      room.addFailed(entry, failure, nowMs());
    }
    options.onWaiting();
    takeTurns();
  };

  const attemptTurn = async (turn: Turn, aside: Aside): Promise<void> => {
    if (!turns.has(turn)) return;
    const beganAtMs = nowMs();
    const body = added.get(turn.sequence)?.body ?? journal.read(turn.sequence) ?? '{}';
    const outcome = await options.apply(parseJson(body) as unknown as DataMessage, {
      aside,
      othersWork: () => othersWork(turn.sequence, true),
    });
    if (!turns.delete(turn)) return;
    const tookMs = nowMs() - beganAtMs;
    if (outcome === undefined) room.stopped(turn);
    else if (outcome.waits !== undefined) {
      noteFailed(turn.sequence, outcome.waits);
      room.failed(turn, { ...outcome.waits, tookMs }, nowMs());
    } else {
      if (isApplied(outcome.reports)) activeAtMs = nowMs();
      failedAtMs.delete(turn.sequence);
      room.done(turn, tookMs, nowMs());
      if (!added.delete(turn.sequence)) removed.push(turn.sequence);
      options.onDone(outcome.reports);
    }
    takeTurns();
  };
  const takeTurns = (): void => {
    clearTimeout(timer);
    if (!isOpen) return;
    while (turns.size < maxTurns()) {
      const turn = room.next(nowMs());
      if (turn === undefined) break;
      turns.add(turn);
      tasks.add(turn.group, (aside) => attemptTurn(turn, aside));
    }
    const atMs = room.nextAtMs();
    if (turns.size < maxTurns() && atMs < Infinity) timer = setTimeout(takeTurns, Math.max(1, atMs - nowMs()));
  };
  const retry = (): void => {
    room.retryAll(nowMs());
    takeTurns();
  };

  return {
    get size() {
      return room.size;
    },
    get bytes() {
      return room.bytes;
    },
    get unstoredBytes() {
      return unstoredBytes;
    },
    first: () => room.first(),
    sequences: (most) => room.sequences(most),
    attempt: async (message, aside) => {
      const [domain, present] = [domainOf(message), space];
      activeAtMs = nowMs();
      const held = room.heldFor(domain);
      if (room.isHeld(namesOf(message))) wait(message, null);
      else if (held !== undefined) wait(message, held);
      else {
        const beganAtMs = nowMs();
        const outcome = await options.apply(message, {
          aside,
          othersWork: () => othersWork(message.sequence ?? 0, false),
        });
        if (outcome === undefined || space !== present) return undefined;
        const { waits, reports } = outcome;
        if (waits !== undefined) wait(message, waits.waitsFor ?? domain, { ...waits, tookMs: nowMs() - beganAtMs });
        else {
          room.worked(domain);
          return reports;
        }
      }
      return [];
    },
    takeChanges: () => {
      const changes = { added: [...added.values()], removed };
      added.clear();
      [removed, unstoredBytes] = [[], 0];
      return changes;
    },
    open: () => {
      isOpen = true;
      retry();
    },
    retry,
    close: () => {
      isOpen = false;
      clearTimeout(timer);
    },
    closed: () => {
      for (const turn of turns) room.stopped(turn);
      turns.clear();
    },
    clear: () => {
      space += 1;
      room.clear();
      failedAtMs.clear();
      turns.clear();
      added.clear();
      [removed, unstoredBytes] = [[], 0];
    },
  };
};
