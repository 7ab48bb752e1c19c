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
  /** Numbers of the last waiting messages, ascending. @param most maximum number of them. Default: all */
  sequences(most?: number): readonly number[];
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

/** Names of domain versions and resources that are kept once. */
const maxShared = 1_000;

/** Inserts a value into an ascending list, unless its number is there. Most values belong at the end. */
const insertAscending = <T>(list: T[], value: T, numberOf: (one: T) => number): void => {
  const after = list.findLastIndex((one) => numberOf(one) <= numberOf(value));
  const before = list[after];
  if (before !== undefined && numberOf(before) === numberOf(value)) return;
  if (after === list.length - 1) list.push(value);
  else list.splice(after + 1, 0, value);
};

/** A queue of names without repetition. A map alone takes longer for each name that was taken from its beginning. */
const createReadyQueue = () => {
  /** The resource whose return made the name ready. */
  const since = new Map<string, string | undefined>();
  let names: string[] = [];
  let taken = 0;
  return {
    get size() {
      return since.size;
    },
    put: (name: string, resource: string | undefined): void => {
      if (!since.has(name)) names.push(name);
      since.set(name, resource);
    },
    take: (): readonly [string, string | undefined] | undefined => {
      const name = names[taken];
      if (name === undefined) return undefined;
      taken += 1;
      if (taken === names.length) [names, taken] = [[], 0];
      const resource = since.get(name);
      since.delete(name);
      return [name, resource];
    },
    clear: (): void => {
      since.clear();
      [names, taken] = [[], 0];
    },
  };
};

/** @param entries the messages that wait already, in the order of their numbers */
export const createWaitingRoom = (entries: readonly WaitingEntry[], options: ResourcesOptions): WaitingRoom => {
  /** The messages of each group in the order of their numbers. Only the first one may be attempted. Most groups have one. */
  const groups = new Map<string, WaitingEntry | WaitingEntry[]>();
  const bySequence = new Map<number, WaitingEntry>();
  /** Numbers of the messages, ascending, with those of messages that have left the room. */
  let order: number[] = [];
  /** By name, the group in which the messages with this name wait, and their number if there are several. */
  const held = new Map<string, string | { readonly group: string; count: number }>();
  const resources = createResources(options);
  const ready = createReadyQueue();
  /** One copy of each name of a domain version or a resource. */
  const shared = new Map<string, string>();
  let bytes = 0;

  const share = (text: string): string => {
    const known = shared.get(text);
    if (known !== undefined) return known;
    if (shared.size >= maxShared) shared.clear();
    shared.set(text, text);
    return text;
  };
  const firstOf = (name: string): WaitingEntry | undefined => {
    const group = groups.get(name);
    return Array.isArray(group) ? group[0] : group;
  };
  const holderOf = (name: string): string | undefined => {
    const holder = held.get(name);
    return typeof holder === 'object' ? holder.group : holder;
  };
  const makeReady = (name: string, since: string | undefined): void => {
    if (groups.has(name)) ready.put(name, since);
  };
  const hold = (name: string, group: string): void => {
    const holder = held.get(name);
    if (typeof holder === 'object') holder.count += 1;
    else held.set(name, holder === undefined ? group : { group: holder, count: 2 });
  };
  const letGo = (name: string): void => {
    const holder = held.get(name);
    if (typeof holder === 'object' && holder.count > 1) holder.count -= 1;
    else held.delete(name);
  };
  /** The number of the first message. */
  const first = (): number | undefined => {
    let left = 0;
    while (left < order.length && !bySequence.has(order[left] ?? 0)) left += 1;
    if (left > 0) order = order.slice(left);
    return order[0];
  };
  /** Returns whether it is the only message of its group. */
  const insert = (given: WaitingEntry): boolean => {
    const waitsFor = given.waitsFor === null ? null : share(given.waitsFor);
    const entry = { ...given, domain: share(given.domain), waitsFor };
    bySequence.set(entry.sequence, entry);
    insertAscending(order, entry.sequence, (sequence) => sequence);
    bytes += entry.bytes;
    for (const name of entry.names) hold(name, entry.group);
    const group = groups.get(entry.group);
    if (group === undefined) {
      groups.set(entry.group, entry);
      return true;
    }
    const several = Array.isArray(group) ? group : [group];
    insertAscending(several, entry, ({ sequence }) => sequence);
    groups.set(entry.group, several);
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
    for (let next = ready.take(); next !== undefined; next = ready.take()) {
      const [name, since] = next;
      const domain = firstOf(name)?.domain ?? '';
      const faulty = since !== undefined && resources.isFaulty(since) ? since : resources.heldFor(domain);
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
    first,
    sequences: (most = Infinity) => {
      const last: number[] = [];
      for (let at = order.length - 1; at >= 0 && last.length < most; at -= 1) {
        const sequence = order[at] ?? 0;
        if (bySequence.has(sequence)) last.push(sequence);
      }
      return last.toReversed();
    },
    has: (sequence) => bySequence.has(sequence),
    isHeld: (names) => names.some((name) => held.has(name)),
    groupOf: (names) => names.map(holderOf).find((group) => group !== undefined) ?? names[0] ?? '',
    heldFor: (domain) => resources.heldFor(domain),
    add,
    addFailed: (entry, failure, now) => {
      if (insert(entry)) fail(entry, failure, now);
    },
    worked: (domain) => resources.worked(domain),
    next: (now) => {
      const group = resources.probe(now) ?? nextReady();
      const entry = group === undefined ? undefined : firstOf(group);
      return group === undefined || entry === undefined ? undefined : { group, sequence: entry.sequence };
    },
    nextAtMs: () => (ready.size > 0 ? 0 : resources.nextAtMs()),
    done: ({ group: name, sequence }, tookMs, now) => {
      const group = groups.get(name);
      const entry = bySequence.get(sequence);
      if (group === undefined || entry === undefined) return;
      bySequence.delete(sequence);
      bytes -= entry.bytes;
      for (const each of entry.names) letGo(each);
      if (Array.isArray(group)) group.shift();
      const resource = resources.probed(name, tookMs, now);
      if (!Array.isArray(group) || group.length === 0) groups.delete(name);
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
      order = [];
      bytes = 0;
      resources.clear();
    },
  };
};
