import type { Principal } from '@fds/auth';
import { registrationRefusal, type EventEntry } from '@fds/change-events';
import { oauth2Faults, targetFault, type TargetRule } from '@fds/webhook-client';
import type { RegistrationContent } from './registration.js';

/** An entry whose changes are not sent. */
export interface RefusedEvent {
  readonly resource: string;
  readonly reason: string;
}

/** The entries whose resources the user may not GET, or that do not exist. The other entries of a registration are in effect. */
export const refusedEvents = (events: readonly EventEntry[], principal: Principal): readonly RefusedEvent[] =>
  events.flatMap(({ resource }) => {
    const reason = registrationRefusal(principal, resource);
    return reason === undefined ? [] : [{ resource, reason }];
  });

/** The reason why a well-formed registration is stored as REFUSED; undefined when there is no reason. */
export const registrationFault = (
  { callback, events, oauth2Registration }: RegistrationContent,
  principal: Principal,
  targets: TargetRule,
): string | undefined => {
  const target = targetFault(callback, targets);
  if (target !== undefined) return `callback ${target}`;
  const [oauth2] = oauth2Faults(oauth2Registration, '/oauth2Registration', targets);
  if (oauth2 !== undefined) return `${oauth2.pointer ?? 'oauth2Registration'} ${oauth2.detail}`;
  const refused = refusedEvents(events, principal);
  if (refused.length < events.length || refused.length === 0) return undefined;
  return [...new Set(refused.map(({ reason }) => reason))].join('; ');
};
