import { compileGrants, type Grant } from '@fds/access-rules';
import type { ChangeEvent } from './change-event.js';
import type { EventEntry } from './event-entry.js';
import { eventSegments } from './event-segments.js';
import { isNotifiedType } from './notified-types.js';
import { pathsOfChange } from './paths-of-change.js';

/** Decides for one receiver; compiled once. */
export interface EventFilter {
  /** Do the events include the change? Does not check permissions. */
  matches(change: ChangeEvent): boolean;
}

const toGrants = ({ resource, actions }: EventEntry): Grant[] =>
  actions.map((action) => ({ action, resource: `/${eventSegments(resource).join('/')}` }));

/** Compiles the events of a registration. */
export const compileEvents = (events: readonly EventEntry[]): EventFilter => {
  const wanted = compileGrants(events.flatMap(toGrants));
  return {
    matches: (change) =>
      isNotifiedType(change.resourceType) && pathsOfChange(change).some((path) => wanted.permits(change.action, path)),
  };
};

/** Does one of the events include the change? To ask more than once, compile them. */
export const matchesEvents = (events: readonly EventEntry[], change: ChangeEvent): boolean =>
  compileEvents(events).matches(change);
