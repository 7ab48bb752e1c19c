import type { ExplainedDestination, ExplainedStep } from './explained.js';

/** The words about an event that sentences need. */
export interface EventWords {
  /** `Customer v1` */
  readonly version: string;
  /** Name of the source; undefined: it may not be named. */
  readonly source: string | undefined;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const many = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;

const chains = { INBOUND: 'inbound chain of its zone', OUTBOUND: 'outbound chain of the source’s zone' } as const;

const notSent = (
  { adaptor: { name }, reason, action, chain }: ExplainedDestination,
  { version, source = 'The source' }: EventWords,
): string | undefined => {
  switch (reason) {
    case 'SOURCE':
      return `${name} reported the change, so it is not sent back.`;
    case 'DISCOVERY':
      return `Nothing was sent to ${name}, because an adaptor in discovery mode only links its records.`;
    case 'ECHO':
      return `Nothing was sent to ${name}, because ${source} only reported values that it was known to have.`;
    case 'OPERATIONAL':
      return `Nothing was sent to ${name}, because the operational chain denies the event.`;
    case 'INACTIVE':
      return `Nothing was sent to ${name}, because it was not active.`;
    case 'NOT_CAPABLE':
      return action === null
        ? `Nothing was sent to ${name}, because it takes no changes of ${version}.`
        : `Nothing was sent to ${name}, because it has no capability ${action} for ${version}.`;
    case 'DENIED':
      return chain === null
        ? `Nothing was sent to ${name}, because governance denies it.`
        : `Nothing was sent to ${name}, because an entry of the ${chains[chain]} denies it.`;
    case 'NOTHING_NEW':
      return `Nothing was sent to ${name}, because it would have learned nothing new.`;
    case 'TOO_LARGE':
      return `Nothing was sent to ${name}, because the message is larger than the message bus carries.`;
    default:
      return undefined;
  }
};

const sent = ({ adaptor: { name }, reason, status, action, ahead, ...destination }: ExplainedDestination): string => {
  switch (reason) {
    case 'REFUSED_BY_ADAPTOR':
      return `${name} could not apply the ${action}.`;
    case 'INACTIVE':
      return `The ${action} waits, because ${name} is not active.`;
    case 'PAUSED':
      return `The ${action} waits, because ${name} is paused.`;
    case 'AWAY':
      return `The ${action} waits, because ${name} is not connected.`;
    case 'QUEUED_BEHIND':
      return `The ${action} for ${name} waits behind ${many(ahead ?? 0, 'message')}.`;
    default:
      break;
  }
  if (status === 'QUEUED') return `The ${action} for ${name} is queued.`;
  if (status === 'DELIVERED') return `The ${action} was sent to ${name}, which has not acknowledged it yet.`;
  const { changed } = destination;
  return changed.length === 0
    ? `${name} applied the ${action}.`
    : `${name} applied the ${action} of ${listed(changed)}.`;
};

/** A sentence about a destination, and one each about the properties that did not arrive. */
export const textOfDestination = (destination: ExplainedDestination, words: EventWords): string => {
  const { removed, notApplied } = destination;
  return [
    notSent(destination, words) ?? sent(destination),
    ...(removed.length === 0 ? [] : [`Governance kept ${listed(removed.map(({ property }) => property))} back.`]),
    ...(notApplied.length === 0 ? [] : [`It did not apply ${listed(notApplied.map(({ property }) => property))}.`]),
  ].join(' ');
};

/** A sentence about a step. */
export const textOfStep = (
  { stage, outcome, candidates = [] }: ExplainedStep,
  { version, source }: EventWords,
): string => {
  switch (stage) {
    case 'RECEIVED':
      return source === undefined ? 'The hub received the event.' : `The hub received the event from ${source}.`;
    case 'VALIDATED':
      return outcome === 'VALID' ? `The event fits ${version}.` : `The event does not fit ${version}.`;
    case 'MATCHED':
      if (outcome === 'NEW') return 'No record matches the event, so the record is new.';
      if (outcome === 'KNOWN') return 'The event is about a known record.';
      return `The event matches ${many(candidates.length, 'record')}, so a person has to choose.`;
    case 'OPERATIONAL':
      return outcome === 'ALLOWED'
        ? 'The operational chain lets the source do this.'
        : 'The operational chain denies the event.';
    case 'LINKED':
      return 'The record is linked to its source.';
    case 'COMMITTED':
      return 'The event is stored with its messages.';
  }
};

/** One sentence about an event. */
export const summaryOf = (
  action: string,
  destinations: readonly ExplainedDestination[],
  { version, source }: EventWords,
): string => {
  const others = destinations.filter(({ reason }) => reason !== 'SOURCE');
  const count = (...statuses: string[]): number => others.filter(({ status }) => statuses.includes(status)).length;
  const parts = [
    [count('APPLIED'), 'applied it'],
    [count('QUEUED', 'DELIVERED'), 'waits'],
    [count('FAILED'), 'failed'],
    [count('DENIED'), 'was denied it'],
    [count('NOT_SENT'), 'was not sent it'],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  const from = source === undefined ? '' : ` from ${source}`;
  const about = `${action} of ${version}${from}`;
  return said.length === 0 ? `${about}.` : `${about}: of ${many(others.length, 'adaptor')}, ${listed(said)}.`;
};
