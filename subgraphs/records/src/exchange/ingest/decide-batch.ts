import { decideEvent } from '../../domain/events/decide-event.js';
import type { DecisionContext } from '../../domain/events/decision-context.js';
import { nothing, type EventOutcome } from '../../domain/events/event-outcome.js';
import { isDataEvent, type IncomingEvent } from '../../domain/events/incoming-event.js';
import { queueDigestOf } from '../../domain/events/named-record.js';
import { noteNoneWaits } from '../../domain/events/note-waiting.js';
import type { Seen } from '../../domain/routing/seen.js';
import { malformedDeletion, type MalformedKeys } from '../../domain/issues/malformed-keys.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';
import { queueOf, type ParkedQueues, type QueueKey } from '../../domain/issues/parked-queues.js';
import type { ResentMessages } from '../../store/channels/hub-gap.js';
import type { ParkedSettlement } from '../../issues/parked/parked-settlement.js';
import { isJsonObject, parseJson } from '@fds/json';
import type { QueuedEvent } from './queued-event.js';
import { refusedEvent, type RefusedEvent } from './refused-events.js';
import { type NewIssue, newIssueOf } from './tell-refusals.js';

/** The events that wait, as the decisions on a batch change them. */
export interface WaitingEvents {
  readonly queues: ParkedQueues;
  readonly malformed: MalformedKeys;
  readonly settlement: ParkedSettlement;
  /** Issues whose adaptor has reported later of the same record. */
  readonly staleReports: ReadonlySet<string>;
}

export interface DecidedBatch {
  /** In the order of the events; an event that is not tried has none. */
  readonly outcomes: readonly EventOutcome[];
  /** The outcomes of data events, without links, and without events that wait on with their issue. */
  readonly counted: readonly EventOutcome[];
  /** Events for which the catalog lacked something. */
  readonly refused: readonly RefusedEvent[];
  /** Issues of which adaptors are informed. */
  readonly newIssues: readonly NewIssue[];
  /** The messages that were sent again after the database was restored. */
  readonly resent: ResentMessages;
}

/** The decision about its match goes with the event. */
const withDecision = (event: IncomingEvent, parked: ParkedEvent | undefined): IncomingEvent =>
  parked?.order?.settled !== undefined && (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED')
    ? { ...event, settled: parked.order.settled }
    : event;

/** Is it the first decision about a data event, or one that ends its waiting? */
const isCounted = ({ event, parked }: QueuedEvent, { issue }: EventOutcome): boolean =>
  isDataEvent(event) && (parked === undefined || issue === undefined);

/** Does an event of the adaptor and the key wait? */
const waitsIn = (queues: ParkedQueues, { adaptor, event }: QueuedEvent, keyDigest: string | undefined): boolean =>
  event.version !== undefined &&
  keyDigest !== undefined &&
  queues.hasWaiting(queueOf({ adaptorUuid: adaptor.uuid, domainVersionUuid: event.version.uuid, keyDigest }));

/** The queue of an event. Undefined: it has none. */
const keyOf = ({ adaptor, event }: QueuedEvent, keyDigest: string | undefined): QueueKey | undefined =>
  keyDigest === undefined || event.version === undefined
    ? undefined
    : { adaptorUuid: adaptor.uuid, domainVersionUuid: event.version.uuid, keyDigest };

/** The queue of an event that may replace events of its record that are not valid. Undefined: it replaces none. */
const correctingQueue = (queued: QueuedEvent, keyDigest: string | undefined): QueueKey | undefined =>
  queued.event.kind === 'RECORD_CHANGED' || queued.event.kind === 'RECORD_DELETED'
    ? keyOf(queued, keyDigest)
    : undefined;

/** The queues in which deletions of the event's record are parked with an issue MASS_DELETION. */
const brakedQueues = (
  queues: ParkedQueues,
  queued: QueuedEvent,
  keyDigest: string | undefined,
): readonly QueueKey[] => {
  const key = keyOf(queued, keyDigest);
  const { adaptor, event } = queued;
  const named = event.drUuid === undefined ? [] : queues.brakedQueuesOf(adaptor.uuid, event.drUuid);
  return key === undefined || queues.brakedIn(queueOf(key)).length === 0 ? named : [key, ...named];
};

/**
 * Does the event show that its adaptor has the record, or deletes it again? A change that cannot be processed does too. Only
 * asked where a deletion is parked: a text is read.
 */
const cancelsDeletion = ({ event }: QueuedEvent): boolean => {
  if (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED') return true;
  if (event.kind !== 'FAULTY' || event.cause === 'UNREADABLE') return false;
  const data = parseJson(event.text());
  return isJsonObject(data) && data['action'] !== 'DELETE';
};

/**
 * A deletion of a record whose DR Key is not valid withdraws the events of this key that wait. The server has no record of it, so
 * nothing is left to do. Undefined: it is another event, or its adaptor has not reported the key before.
 */
const withdrawMalformed = (
  malformed: MalformedKeys,
  settlement: ParkedSettlement,
  event: IncomingEvent,
): EventOutcome | undefined => {
  const deletion = malformedDeletion(event);
  const issueUuids = deletion && malformed.withdraw(deletion.place);
  if (deletion === undefined || issueUuids === undefined) return undefined;
  settlement.withdraw(issueUuids, deletion.transactionUuid);
  return nothing;
};

const add = (counts: Map<string, number>, adaptorUuid: string): void => {
  counts.set(adaptorUuid, (counts.get(adaptorUuid) ?? 0) + 1);
};

/** Counts messages that were sent again. The links of one message share its place. */
const countResentOf = (accepted: readonly QueuedEvent[]): Map<string, number> => {
  const counts = new Map<string, number>();
  const places = new Set<QueuedEvent['position']>();
  for (const { adaptor, position, isResent } of accepted) {
    if (isResent !== true || places.has(position)) continue;
    places.add(position);
    add(counts, adaptor.uuid);
  }
  return counts;
};

/** The outcome of an event that is kept, with its way. */
const withWay = ({ receivedAt, parked }: QueuedEvent, outcome: EventOutcome): EventOutcome =>
  outcome.event === undefined && outcome.echo === undefined
    ? outcome
    : { ...outcome, way: { receivedAt, issueUuid: parked?.issueUuid } };

/** What follows from the event continues its trace. */
const withTrace = ({ span }: QueuedEvent, outcome: EventOutcome): EventOutcome => {
  if (span === undefined) return outcome;
  const { traceparent } = span;
  const { change, deliveries } = outcome;
  return {
    ...outcome,
    deliveries: deliveries.map((delivery) => ({ ...delivery, traceparent })),
    ...(change === undefined ? {} : { change: { ...change, traceparent } }),
  };
};

/**
 * Decides on accepted events one after another: those that arrive, and those that have waited with an issue. Changes the book
 * and the waiting events.
 *
 * @param seenOf the messages that the source had applied when it made the event
 */
export const decideBatch = (
  context: Omit<DecisionContext, 'isBlocked'>,
  accepted: readonly QueuedEvent[],
  { queues, malformed, settlement, staleReports }: WaitingEvents,
  seenOf: (queued: QueuedEvent) => Seen,
): DecidedBatch => {
  const { book } = context;
  const outcomes: EventOutcome[] = [];
  const counted: EventOutcome[] = [];
  const refused: RefusedEvent[] = [];
  const newIssues: NewIssue[] = [];
  const resentDown = new Map<string, number>();
  for (const queued of accepted) {
    const { adaptor, parked } = queued;
    if (parked !== undefined && (!settlement.mayTry(parked) || staleReports.has(parked.issueUuid))) continue;
    const digest = queueDigestOf(book, queued.event);
    const queue = correctingQueue(queued, digest);
    const event =
      queue === undefined
        ? queued.event
        : settlement.correct(book, queued.event, {
            queue,
            recordUuid: queued.event.kind === 'EMPTY' ? undefined : queued.event.drUuid,
            issueUuid: parked?.issueUuid,
          });
    const braked = brakedQueues(queues, queued, digest);
    if (braked.length > 0 && cancelsDeletion(queued)) {
      for (const each of braked) settlement.cancel(each, parked?.issueUuid);
    }
    const withdrawn = withdrawMalformed(malformed, settlement, event);
    const decided =
      withdrawn ??
      decideEvent(
        {
          // before the spread: members after a spread cost a microsecond each on Node 20
          isBlocked: (adaptorUuid, domainVersionUuid, keyDigest) =>
            parked === undefined
              ? queues.isBlocked(queueOf({ adaptorUuid, domainVersionUuid, keyDigest }), undefined)
              : settlement.isBlocked(parked, event),
          ...(parked?.passesBrake === true ? { ...context, brake: undefined } : context),
        },
        adaptor,
        withDecision(event, parked),
        seenOf(queued),
      );
    const refusal = refusedEvent(queued, decided);
    if (refusal !== undefined) refused.push(refusal);
    const outcome = parked === undefined ? decided : settlement.settle(parked, event, decided);
    outcomes.push(withTrace(queued, withWay(queued, outcome)));
    if (queued.isResent === true) for (const { adaptorUuid } of outcome.deliveries) add(resentDown, adaptorUuid);
    if (isCounted(queued, outcome)) counted.push(outcome);
    const newIssue = newIssueOf(queued, outcome);
    if (newIssue !== undefined) newIssues.push(newIssue);
    if (decided.issue === undefined && !waitsIn(queues, queued, digest)) noteNoneWaits(book, event);
    const { issue } = outcome;
    if (issue !== undefined) malformed.raise(issue);
    if (issue !== undefined && issue.domainVersionUuid !== null && issue.keyDigest !== null) {
      const { adaptorUuid, domainVersionUuid, keyDigest } = issue;
      const name = queueOf({ adaptorUuid, domainVersionUuid, keyDigest });
      if (issue.brakeUuid === undefined) queues.raise(name, issue);
      else queues.brake(name, { uuid: issue.uuid, brakeUuid: issue.brakeUuid });
    }
  }
  const resent = { up: countResentOf(accepted), down: resentDown };
  return { outcomes, counted, refused, newIssues, resent };
};
