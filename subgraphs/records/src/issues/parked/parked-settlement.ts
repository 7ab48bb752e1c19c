import { stringifyJson } from '@fds/json';
import { defaultPriority } from '../domain/default-priority.js';
import type { AdaptorView } from '../../domain/catalog.js';
import { nothing, type EventOutcome, type RaisedIssue } from '../../domain/events/event-outcome.js';
import type { IncomingEvent, RecordChanged, RecordDeleted } from '../../domain/events/incoming-event.js';
import type { ParkedEvent } from '../store/parked-event.js';
import type { ClosedIssue, OpenIssue, RenamedIssue, SupersededIssue } from '../store/settle-issues.js';
import { queueOf, type ParkedQueues, type QueueKey } from '../domain/parked-queues.js';

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
  readonly closed: ClosedIssue[] = [];
  /** Events that only waited behind an issue and continued. */
  readonly continued: string[] = [];
  readonly superseded: SupersededIssue[] = [];
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
    if (issue === undefined) {
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
    if (queue !== undefined) this.#queues.raise(queueOf(queue), uuid, issue.cause);
    if (issue.matches !== undefined) this.matched.push({ uuid, matches: issue.matches });
    this.#rename(parked, issue);
    return nothing;
  }

  /** A complete event replaces the unreadable ones in front of it: their issues close, and the others of the queue follow. */
  supersede(
    { uuid: adaptorUuid }: AdaptorView,
    { version, transactionUuid }: RecordChanged | RecordDeleted,
    keyDigest: string,
    issueUuid: string | undefined,
  ): void {
    const queueKey = { adaptorUuid, domainVersionUuid: version.uuid, keyDigest };
    const queue = queueOf(queueKey);
    for (;;) {
      const uuid = this.#queues.firstUnreadable(queue);
      if (uuid === undefined || !this.#queues.isBlocked(queue, issueUuid)) return;
      this.#queues.settle(queue, uuid);
      this.#left.set(queue, queueKey);
      this.#done.add(uuid);
      this.superseded.push({ uuid, transactionUuid });
    }
  }

  /** Queues that a continued event leaves to events that were not tried: they arrived in the meantime. */
  leftQueues(): readonly QueueKey[] {
    return [...this.#left].flatMap(([queue, key]) => {
      const first = this.#queues.first(queue);
      return (first === undefined ? !this.#queues.hasWaiting(queue) : this.#tried.has(first)) ? [] : [key];
    });
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
