import type { EventOutcome } from './event-outcome.js';

/** Outcomes of a message with a data event when it arrives. */
export type Arrival = 'accepted' | 'duplicate' | 'gap' | 'postponed' | 'malformed';

/** Outcomes of data events by stage. */
interface StageOutcomes {
  readonly received: Arrival;
  readonly committed: 'changed' | 'unchanged' | 'issue';
  readonly matched: 'resolved' | 'presumed_new' | 'presumed_match' | 'ambiguous';
  readonly routed: 'queued' | 'denied';
  readonly sent: 'sent' | 'sent_again' | 'failed';
  readonly acknowledged: 'acknowledged';
}

/** Takes the figures of data events. A call must not throw. */
export interface EventMeter {
  countEvents<Stage extends keyof StageOutcomes>(stage: Stage, outcome: StageOutcomes[Stage], count: number): void;
  /** Notes the time since the source made the event, in milliseconds. */
  noteAge(stage: 'committed' | 'acknowledged', adaptorUuid: string, ms: number): void;
}

/** Takes no figures. */
export const noMeter: EventMeter = { countEvents: () => undefined, noteAge: () => undefined };

type CommittedOutcome = StageOutcomes['committed'];
type MatchedOutcome = StageOutcomes['matched'];

const matchedAs = {
  RESOLVED: 'resolved',
  PRESUMED_NEW: 'presumed_new',
  PRESUMED_MATCH: 'presumed_match',
  AMBIGUOUS: 'ambiguous',
} as const satisfies Readonly<Record<string, MatchedOutcome>>;

const committedAs = ({ event, issue }: EventOutcome): CommittedOutcome =>
  issue !== undefined ? 'issue' : event === undefined ? 'unchanged' : 'changed';

const tally = <Name extends string>(names: Iterable<Name>): ReadonlyMap<Name, number> => {
  const counts = new Map<Name, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** Counts the results of committed decisions. */
export const countDecided = (meter: EventMeter, outcomes: readonly EventOutcome[]): void => {
  for (const [name, count] of tally(outcomes.map(committedAs))) meter.countEvents('committed', name, count);
  const matches = outcomes.flatMap(({ event, issue }) => event?.matchStatus ?? issue?.matchStatus ?? []);
  for (const [name, count] of tally(matches)) meter.countEvents('matched', matchedAs[name], count);
  const queued = outcomes.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
  if (queued > 0) meter.countEvents('routed', 'queued', queued);
  const denied = outcomes.reduce(
    (sum, { event }) => sum + (event?.denied.filter(({ adaptorUuid }) => adaptorUuid !== null).length ?? 0),
    0,
  );
  if (denied > 0) meter.countEvents('routed', 'denied', denied);
};
