import type { RaisedIssue } from '../events/event-outcome.js';
import { invalidEventOf, type InvalidEvent } from './invalid-event.js';

/** A key of an adaptor: events of it go one after another. */
export interface QueueKey {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly keyDigest: string;
}

export const queueOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: QueueKey): string =>
  `${adaptorUuid}:${domainVersionUuid}:${keyDigest}`;

/** An issue of an event that is not valid, or a deletion that is parked with an issue MASS_DELETION, and its queue. */
export interface InvalidOfRecord {
  readonly issueUuid: string;
  readonly recordUuid: string;
  readonly queue: QueueKey;
}

/** A deletion that is parked with an issue MASS_DELETION. It blocks nothing. */
export interface BrakedOfQueue {
  readonly uuid: string;
  readonly brakeUuid: string;
}

/** Open issues of queues as they were loaded. */
export interface OpenQueues {
  /** By queue, in the order in which they were raised. */
  readonly issues: Map<string, string[]>;
  /** Issues whose events are not valid. */
  readonly invalid: Map<string, InvalidEvent>;
  /** Queues that may have more issues than were loaded. */
  readonly cut: ReadonlySet<string>;
  /** Issues of records that events name by uuid, regardless of the key in the event. */
  readonly ofRecords: readonly InvalidOfRecord[];
  /** By queue. */
  readonly braked: Map<string, BrakedOfQueue[]>;
}

/** An issue whose event is not valid. */
export interface InvalidIssue {
  readonly uuid: string;
  readonly event: InvalidEvent;
}

/** The open issues that hold queues back, as a batch sees them. */
export class ParkedQueues {
  readonly #issues: Map<string, string[]>;
  readonly #invalid: Map<string, InvalidEvent>;
  readonly #cut: ReadonlySet<string>;
  readonly #ofRecords: readonly InvalidOfRecord[];
  readonly #braked: Map<string, BrakedOfQueue[]>;

  constructor({ issues, invalid, cut, ofRecords, braked }: OpenQueues) {
    this.#issues = issues;
    this.#invalid = invalid;
    this.#cut = cut;
    this.#ofRecords = ofRecords;
    this.#braked = braked;
  }

  /** The issue that parks the key's events; undefined: none. */
  first(queue: string): string | undefined {
    return this.#issues.get(queue)?.[0];
  }

  /**
   * Do events of the queue have to wait?
   *
   * @param issueUuid of an event that waits already: only for those that were raised before it
   */
  isBlocked(queue: string, issueUuid: string | undefined): boolean {
    const first = this.first(queue);
    if (first === undefined) return issueUuid === undefined && this.#cut.has(queue);
    return issueUuid === undefined || first < issueUuid;
  }

  /** Does any event wait in the queue? */
  hasWaiting(queue: string): boolean {
    return this.first(queue) !== undefined || this.#cut.has(queue) || this.#braked.has(queue);
  }

  /** Deletions of the key that are parked with an issue MASS_DELETION. */
  brakedIn(queue: string): readonly BrakedOfQueue[] {
    return this.#braked.get(queue) ?? [];
  }

  /** The queues of any key with such deletions of the record. */
  brakedQueuesOf(adaptorUuid: string, recordUuid: string): readonly QueueKey[] {
    return this.#ofRecords.flatMap(({ recordUuid: named, queue }) =>
      named === recordUuid && queue.adaptorUuid === adaptorUuid && this.#braked.has(queueOf(queue)) ? [queue] : [],
    );
  }

  /** A deletion is parked with an issue MASS_DELETION. */
  brake(queue: string, deletion: BrakedOfQueue): void {
    this.#braked.set(queue, [...this.brakedIn(queue), deletion]);
  }

  /** Those deletions are no longer parked. */
  cancel(queue: string): void {
    this.#braked.delete(queue);
  }

  /** The issue that holds the queue back, if its event is not valid. */
  firstInvalid(queue: string): InvalidIssue | undefined {
    const uuid = this.first(queue);
    const event = uuid === undefined ? undefined : this.#invalid.get(uuid);
    return uuid === undefined || event === undefined ? undefined : { uuid, event };
  }

  /**
   * The issues in front of an event of the queue, if the events of all of them are not valid. Undefined: another event is
   * among them.
   *
   * @param issueUuid of an event that waits already
   */
  invalidBefore(queue: string, issueUuid: string | undefined): readonly InvalidIssue[] | undefined {
    if (this.#cut.has(queue)) return undefined;
    const before = (this.#issues.get(queue) ?? []).filter((uuid) => issueUuid === undefined || uuid < issueUuid);
    const found = before.flatMap((uuid) => {
      const event = this.#invalid.get(uuid);
      return event === undefined ? [] : [{ uuid, event }];
    });
    return found.length === before.length ? found : undefined;
  }

  /** Issues of the adaptor's events about the record that are not valid, in the queue of any key. */
  invalidOf(adaptorUuid: string, recordUuid: string): readonly (InvalidIssue & { readonly queue: QueueKey })[] {
    return this.#ofRecords.flatMap(({ issueUuid: uuid, recordUuid: named, queue }) => {
      const event = this.#invalid.get(uuid);
      const isMeant = named === recordUuid && queue.adaptorUuid === adaptorUuid;
      return isMeant && event !== undefined ? [{ uuid, event, queue }] : [];
    });
  }

  /** Those behind it go on. */
  settle(queue: string, issueUuid: string): void {
    const left = (this.#issues.get(queue) ?? []).filter((uuid) => uuid !== issueUuid);
    if (left.length === 0) this.#issues.delete(queue);
    else this.#issues.set(queue, left);
  }

  /** Inserts in order of age: an issue that waited without a key may be older than those of the queue. */
  raise(queue: string, issue: RaisedIssue, issueUuid = issue.uuid): void {
    const invalid = invalidEventOf(issue);
    if (invalid === undefined) this.#invalid.delete(issueUuid);
    else this.#invalid.set(issueUuid, invalid);
    const issues = this.#issues.get(queue);
    if (issues === undefined) this.#issues.set(queue, [issueUuid]);
    else if (!issues.includes(issueUuid))
      issues.splice(issues.findLastIndex((uuid) => uuid < issueUuid) + 1, 0, issueUuid);
  }
}
