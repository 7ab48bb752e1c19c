import { stringifyJson } from '@fds/json';
import { defaultPriority } from '../../domain/issues/default-priority.js';
import { nothing, type EventOutcome, type RaisedIssue } from '../../domain/events/event-outcome.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import type { RecordBook } from '../../domain/records/record-book.js';
import { coversEvent, takeOverEvents } from '../../domain/issues/correct-event.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';
import type { ClosedIssue, OpenIssue, RenamedIssue, SupersededIssue } from '../../store/issues/settle-issues.js';
import { queueOf, type InvalidIssue, type ParkedQueues, type QueueKey } from '../../domain/issues/parked-queues.js';

/** The queue of an event that waits: the one under which it was parked, otherwise that of its key as it is read now. */
const queueKeyOf = (
  { adaptorUuid, domainVersionUuid, keyDigest }: ParkedEvent,
  event: IncomingEvent,
): QueueKey | undefined => {
  if (domainVersionUuid !== null && keyDigest !== null) return { adaptorUuid, domainVersionUuid, keyDigest };
  const { version, key } = event;
  return version === undefined || key === undefined
    ? undefined
    : { adaptorUuid, domainVersionUuid: version.uuid, keyDigest: key.digest };
};

const isSame = (open: OpenIssue, issue: RaisedIssue): boolean =>
  open.cause === issue.cause && open.title === issue.title && open.errors === stringifyJson(issue.errors);

/** A batch's changes to the issues of waiting events: each is settled once, by the transaction that has its row. */
export class ParkedSettlement {
  readonly #open: ReadonlyMap<string, OpenIssue>;
  readonly #queues: ParkedQueues;
  readonly #tried = new Set<string>();
  readonly #done = new Set<string>();
  readonly #left = new Map<string, QueueKey>();
  /** Queues that were not loaded, and have lost an event. */
  readonly #leftUnseen = new Map<string, QueueKey>();
  readonly closed: ClosedIssue[] = [];
  /** Events that only waited behind an issue and continued. */
  readonly continued: string[] = [];
  readonly superseded: SupersededIssue[] = [];
  /** Issues MASS_DELETION with fewer deletions than before. */
  readonly lightened = new Set<string>();
  readonly renamed: RenamedIssue[] = [];
  /** Candidates as they are now. */
  readonly matched: Pick<RaisedIssue, 'uuid' | 'matches'>[] = [];
  /** The operational chain denies some of them, whether it did before or not. */
  isDenied = false;

  /** @param open issues as they are locked */
  constructor(open: ReadonlyMap<string, OpenIssue>, queues: ParkedQueues) {
    this.#open = open;
    this.#queues = queues;
  }

  /** Issues whose events were tried. */
  get tried(): ReadonlySet<string> {
    return this.#tried;
  }

  /** May the event be tried: is its issue still what it was? A release and a person may bring the same event into one batch. */
  mayTry({ issueUuid, order }: ParkedEvent): boolean {
    const open = this.#open.get(issueUuid);
    return (
      open !== undefined &&
      !this.#done.has(issueUuid) &&
      (order === undefined || order.changeVersion === open.changeVersion)
    );
  }

  isBlocked(parked: ParkedEvent, event: IncomingEvent): boolean {
    const queue = queueKeyOf(parked, event);
    return queue !== undefined && this.#queues.isBlocked(queueOf(queue), parked.issueUuid);
  }

  /** The result for an event that has waited: its issue is closed, or stays, for its present cause. */
  settle(parked: ParkedEvent, event: IncomingEvent, decided: EventOutcome): EventOutcome {
    const { issueUuid: uuid, order } = parked;
    const queue = queueKeyOf(parked, event);
    this.#tried.add(uuid);
    const { issue } = decided;
    // a deletion that is parked now is a new one of its issue MASS_DELETION
    if (issue === undefined || issue.brakeUuid !== undefined) {
      this.#done.add(uuid);
      if (queue !== undefined) {
        this.#queues.settle(queueOf(queue), uuid);
        this.#left.set(queueOf(queue), queue);
      }
      if (this.#open.get(uuid)?.cause === 'HELD') {
        this.continued.push(uuid);
        return decided;
      }
      const recordUuid = decided.event?.recordUuid ?? order?.settled?.drUuid ?? undefined;
      this.closed.push({
        uuid,
        recordUuid,
        settledRecordUuid: order?.settled === undefined ? undefined : recordUuid,
        texts: order?.texts,
        by: order,
      });
      return decided;
    }
    if (issue.cause === 'OPERATIONAL') this.isDenied = true;
    if (queue !== undefined) this.#queues.raise(queueOf(queue), { ...issue, seen: issue.seen ?? parked.seen }, uuid);
    if (issue.matches !== undefined) this.matched.push({ uuid, matches: issue.matches });
    this.#rename(parked, issue);
    return nothing;
  }

  /**
   * An event that is valid replaces the ones of its record that wait in front of it and are not: their issues close, and the
   * others of the queue follow.
   *
   * @param place the queue of the event, its record where it names one, and its issue if it has waited
   * @returns the event, with the values that it takes over
   */
  correct(
    book: RecordBook,
    event: IncomingEvent,
    place: {
      readonly queue: QueueKey;
      readonly recordUuid: string | undefined;
      readonly issueUuid: string | undefined;
    },
  ): IncomingEvent {
    const { queue, recordUuid, issueUuid } = place;
    const name = queueOf(queue);
    const replace = ({ uuid }: InvalidIssue, of: QueueKey): void => {
      this.#queues.settle(queueOf(of), uuid);
      this.#done.add(uuid);
      const transactionUuid = 'transactionUuid' in event ? event.transactionUuid : undefined;
      if (transactionUuid !== undefined) this.superseded.push({ uuid, transactionUuid });
    };
    const inFront = this.#queues.invalidBefore(name, issueUuid);
    let corrected = event;
    if (inFront !== undefined && inFront.length > 0) {
      const next = takeOverEvents(
        book,
        event,
        inFront.map((each) => each.event),
      );
      for (const each of next === undefined ? [] : inFront) replace(each, queue);
      if (next !== undefined) this.#left.set(name, queue);
      corrected = next ?? event;
    }
    // another event is between: nothing can be taken over, because that event comes first
    for (;;) {
      const first = this.#queues.firstInvalid(name);
      if (first === undefined || !this.#queues.isBlocked(name, issueUuid)) break;
      if (!coversEvent(book, corrected, first.event)) break;
      replace(first, queue);
      this.#left.set(name, queue);
    }
    const others = recordUuid === undefined ? [] : this.#queues.invalidOf(queue.adaptorUuid, recordUuid);
    for (const other of others) {
      const isBefore = issueUuid === undefined || other.uuid < issueUuid;
      if (queueOf(other.queue) === name || this.#done.has(other.uuid) || !isBefore) continue;
      const next = takeOverEvents(book, corrected, [other.event]);
      if (next === undefined) continue;
      corrected = next;
      replace(other, other.queue);
      this.#leftUnseen.set(queueOf(other.queue), other.queue);
    }
    return corrected;
  }

  /** A deletion withdraws events of records whose DR Key is not valid. They park nothing, and their issues close. */
  withdraw(issueUuids: readonly string[], transactionUuid: string): void {
    for (const uuid of issueUuids) {
      if (this.#done.has(uuid)) continue;
      this.#done.add(uuid);
      this.superseded.push({ uuid, transactionUuid });
    }
  }

  /**
   * An event of an adaptor cancels its deletions of the key that are parked with an issue MASS_DELETION: the record is
   * there again, or its deletion is decided on again.
   *
   * @param issueUuid of an event that has waited: it cancels no later deletion
   */
  cancel(queue: QueueKey, issueUuid: string | undefined): void {
    const name = queueOf(queue);
    const braked = this.#queues.brakedIn(name);
    if (braked.length === 0 || (issueUuid !== undefined && braked.some(({ uuid }) => uuid >= issueUuid))) return;
    this.#queues.cancel(name);
    for (const { uuid, brakeUuid } of braked) {
      this.#done.add(uuid);
      this.continued.push(uuid);
      this.lightened.add(brakeUuid);
    }
  }

  /** Queues that a continued event leaves to events that were not tried: they arrived in the meantime. */
  leftQueues(): readonly QueueKey[] {
    const left = [...this.#left].flatMap(([queue, key]) => {
      const first = this.#queues.first(queue);
      return (first === undefined ? !this.#queues.hasWaiting(queue) : this.#tried.has(first)) ? [] : [key];
    });
    return [...left, ...this.#leftUnseen.values()];
  }

  #rename({ issueUuid, keyDigest, order }: ParkedEvent, issue: RaisedIssue): void {
    const open = this.#open.get(issueUuid);
    if (open === undefined) return;
    const texts = order?.texts;
    // it waits for its turn, as before
    const isNews = !isSame(open, issue) && (issue.cause !== 'HELD' || keyDigest === null);
    if (!isNews && texts === undefined) return;
    const isGiven = open.cause !== null && open.issuePriority !== defaultPriority(open.cause);
    const issuePriority = texts?.issuePriority ?? (isGiven ? open.issuePriority : defaultPriority(issue.cause));
    const wasWaiting = open.cause === 'HELD' && issue.cause !== 'HELD';
    this.renamed.push({ ...issue, uuid: issueUuid, issuePriority, texts, by: order, wasWaiting });
  }
}
