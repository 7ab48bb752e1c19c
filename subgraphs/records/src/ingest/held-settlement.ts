import { stringifyJson } from '@fds/json';
import { defaultPriority } from '../domain/issues/default-priority.js';
import type { AdaptorView } from '../domain/catalog.js';
import { nothing, type EventOutcome, type RaisedIssue } from '../domain/events/event-outcome.js';
import type { IncomingEvent, RecordChanged, RecordDeleted } from '../domain/events/incoming-event.js';
import type { HeldEvent } from '../store/issues/held-event.js';
import type { ClosedIssue, OpenIssue, RenamedIssue, SupersededIssue } from '../store/issues/settle-issues.js';
import { laneOf, type HeldLanes, type LaneKey } from '../domain/issues/held-lanes.js';

/** The lane of an event that waits: the one under which it was parked, otherwise that of its key as it is read now. */
const laneKeyOf = (
  { adaptorUuid, domainVersionUuid, keyDigest }: HeldEvent,
  event: IncomingEvent,
): LaneKey | undefined => {
  if (domainVersionUuid !== null && keyDigest !== null) return { adaptorUuid, domainVersionUuid, keyDigest };
  const { version, key } = event;
  return version === undefined || key === undefined
    ? undefined
    : { adaptorUuid, domainVersionUuid: version.uuid, keyDigest: key.digest };
};

const isSame = (open: OpenIssue, issue: RaisedIssue): boolean =>
  open.cause === issue.cause && open.title === issue.title && open.errors === stringifyJson(issue.errors);

/** A batch's changes to the issues of waiting events: each is settled once, by the transaction that has its row. */
export class HeldSettlement {
  readonly #open: ReadonlyMap<string, OpenIssue>;
  readonly #lanes: HeldLanes;
  readonly #tried = new Set<string>();
  readonly #done = new Set<string>();
  readonly #left = new Map<string, LaneKey>();
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
  constructor(open: ReadonlyMap<string, OpenIssue>, lanes: HeldLanes) {
    this.#open = open;
    this.#lanes = lanes;
  }

  /** Issues whose events were tried. */
  get tried(): ReadonlySet<string> {
    return this.#tried;
  }

  /** May the event be tried: is its issue still what it was? A release and a person may bring the same event into one batch. */
  mayTry({ issueUuid, order }: HeldEvent): boolean {
    const open = this.#open.get(issueUuid);
    return (
      open !== undefined &&
      !this.#done.has(issueUuid) &&
      (order === undefined || order.changeVersion === open.changeVersion)
    );
  }

  isHeld(held: HeldEvent, event: IncomingEvent): boolean {
    const lane = laneKeyOf(held, event);
    return lane !== undefined && this.#lanes.isHeld(laneOf(lane), held.issueUuid);
  }

  /** The result for an event that has waited: its issue is closed, or stays, for its present cause. */
  settle(held: HeldEvent, event: IncomingEvent, decided: EventOutcome): EventOutcome {
    const { issueUuid: uuid, order } = held;
    const lane = laneKeyOf(held, event);
    this.#tried.add(uuid);
    const { issue } = decided;
    if (issue === undefined) {
      this.#done.add(uuid);
      if (lane !== undefined) {
        this.#lanes.settle(laneOf(lane), uuid);
        this.#left.set(laneOf(lane), lane);
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
    if (lane !== undefined) this.#lanes.raise(laneOf(lane), uuid, issue.cause);
    if (issue.matches !== undefined) this.matched.push({ uuid, matches: issue.matches });
    this.#rename(held, issue);
    return nothing;
  }

  /** A complete event replaces the unreadable ones in front of it: their issues close, and the others of the lane follow. */
  supersede(
    { uuid: adaptorUuid }: AdaptorView,
    { version, transactionUuid }: RecordChanged | RecordDeleted,
    keyDigest: string,
    issueUuid: string | undefined,
  ): void {
    const laneKey = { adaptorUuid, domainVersionUuid: version.uuid, keyDigest };
    const lane = laneOf(laneKey);
    for (;;) {
      const uuid = this.#lanes.firstUnreadable(lane);
      if (uuid === undefined || !this.#lanes.isHeld(lane, issueUuid)) return;
      this.#lanes.settle(lane, uuid);
      this.#left.set(lane, laneKey);
      this.#done.add(uuid);
      this.superseded.push({ uuid, transactionUuid });
    }
  }

  /** Lanes that a continued event leaves to events that were not tried: they arrived in the meantime. */
  leftLanes(): readonly LaneKey[] {
    return [...this.#left].flatMap(([lane, key]) => {
      const first = this.#lanes.first(lane);
      return (first === undefined ? !this.#lanes.hasWaiting(lane) : this.#tried.has(first)) ? [] : [key];
    });
  }

  #rename({ issueUuid, keyDigest, order }: HeldEvent, issue: RaisedIssue): void {
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
