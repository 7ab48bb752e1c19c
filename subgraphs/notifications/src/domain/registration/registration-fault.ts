import type { Principal } from '@fds/auth';
import { mayRegister } from '@fds/change-events';
import { oauth2Faults, targetFault, type TargetRule } from '@fds/webhook-client';
import type { RegistrationContent } from './registration.js';

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
  const forbidden = events.filter(({ resource }) => !mayRegister(principal, resource));
  return forbidden.length === 0
    ? undefined
    : `GET is not granted to you on ${forbidden.map(({ resource }) => resource).join(', ')}`;
};
