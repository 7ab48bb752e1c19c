import { parseEvents } from '@fds/change-events';
import type { ErrorCause, FaultList } from '@fds/errors';
import { isUuid } from '@fds/json';
import {
  everyTarget,
  headerFaults,
  oauth2Faults,
  targetFault,
  webhookSecretFault,
  type OAuth2Registration,
  type WebhookHeader,
} from '@fds/webhook-client';
import type { RegistrationContent } from './registration.js';

/** Body of PUT `/notifications` and input of the mutation. */
export interface RegistrationInput {
  readonly notificationId?: string | null;
  readonly callback: string;
  readonly callbackType: 'WEB_HOOK' | 'WEB_SOCKET';
  readonly events: readonly { readonly resource: string; readonly actions: readonly string[] }[];
  readonly httpHeaders?: readonly WebhookHeader[] | null;
  readonly oauth2Registration?: OAuth2Registration | null;
  readonly secret?: string | null;
}

/** The content of a well-formed body. */
export interface ReadRegistration {
  readonly notificationId: string | undefined;
  readonly content: RegistrationContent;
  /** The user's own signing secret; undefined when the body has none. */
  readonly secret: string | undefined;
}

const addAll = (causes: readonly ErrorCause[], faults: FaultList): void => {
  for (const { pointer, code, detail } of causes) faults.add(pointer, code, detail);
};

const readCallback = (callback: string, faults: FaultList): string => {
  const fault = targetFault(callback, everyTarget);
  if (fault === undefined) return new URL(callback).href;
  faults.add('/callback', 'INVALID_VALUE', `callback ${fault}`);
  return callback;
};

/**
 * Reads a registration. All faults of the form are added to `faults`. An address to which the service may not connect
 * is still a well-formed callback.
 */
export const readRegistration = (input: RegistrationInput, faults: FaultList): ReadRegistration => {
  const { notificationId, callbackType, secret } = input;
  const oauth2Registration = input.oauth2Registration ?? null;
  const httpHeaders = input.httpHeaders ?? [];
  if (callbackType !== 'WEB_HOOK') {
    faults.add(
      '/callbackType',
      'NOT_ALLOWED',
      'callbackType is WEB_HOOK: a websocket registers itself by its subscriptions',
    );
  }
  if (typeof notificationId === 'string' && !isUuid(notificationId)) {
    faults.add('/notificationId', 'INVALID_VALUE', 'notificationId is not a UUID');
  }
  addAll(headerFaults(httpHeaders, '/httpHeaders', oauth2Registration !== null), faults);
  addAll(oauth2Faults(oauth2Registration, '/oauth2Registration', everyTarget), faults);
  const secretFault = typeof secret === 'string' ? webhookSecretFault(secret) : undefined;
  if (secretFault !== undefined) faults.add('/secret', 'INVALID_VALUE', `secret ${secretFault}`);
  return {
    notificationId: notificationId ?? undefined,
    content: {
      callback: readCallback(input.callback, faults),
      callbackType: 'WEB_HOOK',
      events: parseEvents('/events', input.events, faults),
      httpHeaders: httpHeaders.map(({ name, value }) => ({ name, value })),
      oauth2Registration,
    },
    secret: secret ?? undefined,
  };
};
