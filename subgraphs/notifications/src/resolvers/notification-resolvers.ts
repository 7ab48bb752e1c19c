import { AppError, FaultList } from '@fds/errors';
import { guarded, requirePage, type RequestContext } from '@fds/graphql';
import type { RegistrationInput } from '../domain/registration/read-registration.js';
import { refusedEvents } from '../domain/registration/registration-fault.js';
import type { ListedNotification } from '../store/registrations/list-notifications.js';
import type { RegistrationActions } from '../actions/registration-actions.js';

/** Returns the result if it arrives in time. @throws AppError QUERY_TIMEOUT */
const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('QUERY_TIMEOUT', `there was no answer within ${ms / 1000} seconds`));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

interface ListArguments {
  readonly type?: string | null;
  readonly timeout?: number | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

const all = '/notifications';
const one = `${all}/{notificationId}`;
const maxTimeout = 300;

/** @throws AppError INVALID_PARAMETER */
const requireTimeout = (timeout: number | null | undefined): number => {
  const seconds = timeout ?? 30;
  if (seconds >= 1 && seconds <= maxTimeout) return seconds;
  const detail = `timeout must be from 1 to ${maxTimeout} seconds`;
  throw new AppError('INVALID_PARAMETER', detail, {
    errors: [{ pointer: 'timeout', code: 'OUT_OF_RANGE', detail }],
  });
};

/** Registrations belong to the caller, not to a zone. */
export const notificationResolvers = (actions: RegistrationActions) => ({
  Notification: {
    secret: ({ notificationId, secretUnseen }: ListedNotification) =>
      secretUnseen ? actions.showSecret(notificationId) : undefined,
    refusedEvents: ({ events }: ListedNotification, _args: object, { principal }: RequestContext) =>
      refusedEvents(events, principal),
  },
  Query: {
    notifications: guarded<ListArguments>(
      { mode: 'require', action: 'GET', resource: all },
      ({ type, timeout, ...page }, { principal }) =>
        within(requireTimeout(timeout) * 1000, actions.list(principal, type ?? undefined, requirePage(page))),
    ),
  },
  Mutation: {
    putNotification: guarded<{ readonly input: RegistrationInput }>(
      { mode: 'require', action: 'PUT', resource: all },
      async ({ input }, { principal, purpose }) => {
        await actions.put(input, principal, new FaultList(purpose));
        return true;
      },
      { checks: 'input' },
    ),
    deleteNotification: guarded<{ readonly notificationId: string }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ notificationId }, { principal }) => {
        await actions.remove(notificationId, principal);
        return true;
      },
    ),
  },
});
