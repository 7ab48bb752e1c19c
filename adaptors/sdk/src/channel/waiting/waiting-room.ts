import type { WaitingEntry } from '../../journal/waiting-table.js';
import { createResources, type Failure, type ResourcesOptions } from './resources.js';

/** A group whose first message is to be attempted. */
export interface Turn {
  readonly group: string;
  readonly sequence: number;
}

/** The waiting messages, as an index without their contents, and the order in which they are attempted. */
export interface WaitingRoom {
  readonly size: number;
  readonly bytes: number;
  /** Number of the first waiting message; undefined when none waits. */
  first(): number | undefined;
  /** Numbers of all waiting messages, ascending. */
  sequences(): readonly number[];
  has(sequence: number): boolean;
  /** Must a further message with these names wait behind another one? */
  isHeld(names: readonly string[]): boolean;
  /** The group in which a message with these names waits: that of a message with one of the names, otherwise its own. */
  groupOf(names: readonly string[]): string;
  /**
   * The resource that a message of this domain version must wait for without an attempt; undefined: it is attempted. The
   * attempts of the messages of a resource that fails slowly would take the time of the others.
   */
  heldFor(domain: string): string | undefined;
  /** Adds a message that waits for the resource of its entry, or behind another one of its group. */
  add(entry: WaitingEntry): void;
  /** Adds a message whose attempt failed. */
  addFailed(entry: WaitingEntry, failure: Failure, nowMs: number): void;
  /** An attempt of a message that did not wait has worked. */
  worked(domain: string): void;
  /** The next message to attempt. The caller says `done`, `failed` or `stopped` for it. */
  next(nowMs: number): Turn | undefined;
  /** Time from which `next` may return a message; Infinity: not before another call. */
  nextAtMs(): number;
  /** The message of a turn was applied, or became an issue. It leaves the room. */
  done(turn: Turn, tookMs: number, nowMs: number): void;
  failed(turn: Turn, failure: Failure, nowMs: number): void;
  /** The attempt of a turn was stopped before it was over. */
  stopped(turn: Turn): void;
  /** Makes an attempt for every resource due. */
  retryAll(nowMs: number): void;
  /** Forgets all messages. */
  clear(): void;
}

/** @param entries the messages that wait already, in the order of their numbers */
export const createWaitingRoom = (entries: readonly WaitingEntry[], options: ResourcesOptions): WaitingRoom => {
  /** The messages of each group in the order of their numbers. Only the first one may be attempted. */
  const groups = new Map<string, WaitingEntry[]>();
  const bySequence = new Map<number, WaitingEntry>();
  /** By name, the group in which the messages with this name wait, and their number. */
  const held = new Map<string, { readonly group: string; count: number }>();
  const resources = createResources(options);
  /** Groups to attempt at once, with the resource whose return made them ready. */
  const ready = new Map<string, string | undefined>();
  let bytes = 0;

  const makeReady = (name: string, since: string | undefined): void => {
    if (groups.has(name)) ready.set(name, since);
  };
  /** Returns whether it is the only message of its group. */
  const insert = (entry: WaitingEntry): boolean => {
    bySequence.set(entry.sequence, entry);
    bytes += entry.bytes;
    for (const name of entry.names) {
      const holder = held.get(name);
      if (holder === undefined) held.set(name, { group: entry.group, count: 1 });
      else holder.count += 1;
    }
    const group = groups.get(entry.group);
    if (group === undefined) {
      groups.set(entry.group, [entry]);
      return true;
    }
    let at = group.length;
    while (at > 0 && (group[at - 1]?.sequence ?? 0) > entry.sequence) at -= 1;
    group.splice(at, 0, entry);
    return false;
  };
  const add = (entry: WaitingEntry): void => {
    if (!insert(entry)) return;
    if (entry.waitsFor === null) makeReady(entry.group, undefined);
    else resources.wait(entry.waitsFor, entry.group);
  };
  const release = (resource: string): void => {
    for (const name of resources.release(resource)) makeReady(name, resource);
  };
  const fail = ({ group, domain }: WaitingEntry, failure: Failure, now: number, probed?: string): void => {
    const isNamed = failure.waitsFor !== undefined;
    // the messages of a domain version that name no resource are tried with one of them
    const resource = failure.waitsFor ?? domain;
    resources.fail(resource, { name: group, domain, isNamed }, failure, now, probed === resource);
    if (probed !== undefined && probed !== resource) resources.undecided(probed, now);
  };
  /** The first group that is ready. A group whose resource failed again in the meantime waits for it. */
  const nextReady = (): string | undefined => {
    for (const [name, since] of ready) {
      ready.delete(name);
      const [entry] = groups.get(name) ?? [];
      const faulty = since !== undefined && resources.isFaulty(since) ? since : resources.heldFor(entry?.domain ?? '');
      if (faulty === undefined) return name;
      resources.wait(faulty, name);
    }
    return undefined;
  };
  for (const entry of entries) add(entry);

  return {
    get size() {
      return bySequence.size;
    },
    get bytes() {
      return bytes;
    },
    first: () => {
      let first: number | undefined;
      for (const [entry] of groups.values())
        if (entry !== undefined && (first === undefined || entry.sequence < first)) first = entry.sequence;
      return first;
    },
    sequences: () => [...bySequence.keys()].sort((one, other) => one - other),
    has: (sequence) => bySequence.has(sequence),
    isHeld: (names) => names.some((name) => held.has(name)),
    groupOf: (names) =>
      names.map((name) => held.get(name)?.group).find((group) => group !== undefined) ?? names[0] ?? '',
    heldFor: (domain) => resources.heldFor(domain),
    add,
    addFailed: (entry, failure, now) => {
      if (insert(entry)) fail(entry, failure, now);
    },
    worked: (domain) => resources.worked(domain),
    next: (now) => {
      const group = resources.probe(now) ?? nextReady();
      const [entry] = group === undefined ? [] : (groups.get(group) ?? []);
      return group === undefined || entry === undefined ? undefined : { group, sequence: entry.sequence };
    },
    nextAtMs: () => (ready.size > 0 ? 0 : resources.nextAtMs()),
    done: ({ group: name, sequence }, tookMs, now) => {
      const group = groups.get(name);
      const entry = bySequence.get(sequence);
      if (group === undefined || entry === undefined) return;
      bySequence.delete(sequence);
      bytes -= entry.bytes;
      for (const each of entry.names) {
        const holder = held.get(each);
        if (holder !== undefined && (holder.count -= 1) === 0) held.delete(each);
      }
      group.shift();
      const resource = resources.probed(name, tookMs, now);
      if (group.length === 0) groups.delete(name);
      else makeReady(name, undefined);
      if (resource !== undefined) release(resource);
    },
    failed: ({ group: name, sequence }, failure, now) => {
      const entry = bySequence.get(sequence);
      if (entry !== undefined) fail(entry, failure, now, resources.probed(name, failure.tookMs, now));
    },
    stopped: ({ group: name }) => {
      const resource = resources.probed(name, 0, 0);
      if (resource === undefined) makeReady(name, undefined);
      else resources.wait(resource, name);
    },
    retryAll: (now) => resources.retryAll(now),
    clear: () => {
      groups.clear();
      bySequence.clear();
      held.clear();
      ready.clear();
      bytes = 0;
      resources.clear();
    },
  };
};
