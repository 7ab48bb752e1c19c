import { setTimeout as sleep } from 'node:timers/promises';
import { type AdaptorError, type EventMessage, type Link, parseDrKey, parseJsonData } from '@fds/adaptor-protocol';
import { type AdaptorHandlers, type Applied, ApplyError, type IncomingEvent } from '../handlers.js';
import type { Aside } from './create-keyed-task-pool.js';

/** Result of an event: a link report or an error. */
export type Outcome =
  { readonly link?: Link; readonly error?: undefined } | { readonly error: AdaptorError; readonly link?: undefined };

const fewAttempts = 5;
const longestWaitMs = 5_000;

const eventOf = ({ data, epoch, sequence }: EventMessage<'down/data'>): IncomingEvent => ({
  ...data,
  json: parseJsonData(data.jsonData),
  drKeyValues: parseDrKey(data.drKey),
  position: { epoch: epoch ?? '', sequence: sequence ?? 0 },
});

const mayRetry = (error: unknown, attempt: number): boolean =>
  error instanceof ApplyError &&
  (error.retry === 'UNTIL_IT_WORKS' || (error.retry === 'A_FEW_TIMES' && attempt < fewAttempts));

/** Controls how attempts are repeated. */
export interface Attempts {
  /** Ends the wait between attempts. */
  readonly stopping: AbortSignal;
  readonly aside: Aside;
  /** Called once, when the first attempt failed and another one will follow. */
  readonly onRetry: (error: unknown) => void;
}

const attemptUntilDone = async (
  handlers: AdaptorHandlers,
  event: IncomingEvent,
  { stopping, aside, onRetry }: Attempts,
): Promise<Applied | undefined> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (await handlers.applied?.has(event.position)) return undefined;
      return (await handlers.apply?.(event)) ?? undefined;
    } catch (error) {
      if (!mayRetry(error, attempt)) throw error;
      if (attempt === 1) onRetry(error);
      const pauseMs = Math.min(longestWaitMs, 100 * 2 ** Math.min(attempt, 10));
      const rest = (): Promise<void> => sleep(pauseMs, undefined, { signal: stopping });
      await (error instanceof ApplyError && error.letsOthersPass ? aside(rest) : rest());
    }
  }
};

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';

const linkOf = (event: IncomingEvent, applied: Applied | undefined): Link | undefined => {
  if (event.action === 'PUT') return undefined;
  const { drUuid, domain, version } = event;
  const action = event.action === 'POST' ? 'LINK' : 'UNLINK';
  return { action, domain, version, drUuid, ...(applied?.drKey === undefined ? {} : { drKey: applied.drKey }) };
};

/**
 * Applies an event completely: repeats attempts as the handler requests, or returns an error for the server.
 *
 * @throws AbortError when it was stopped before the event was done; the event is delivered again
 */
export const applyEvent = async (
  handlers: AdaptorHandlers,
  message: EventMessage<'down/data'>,
  attempts: Attempts,
): Promise<Outcome> => {
  const { drUuid, transactionUuid } = message.data;
  try {
    const event = eventOf(message);
    const applied = await attemptUntilDone(handlers, event, attempts);
    const link = linkOf(event, applied);
    return link === undefined ? {} : { link };
  } catch (error) {
    if (attempts.stopping.aborted && isAbort(error)) throw error;
    const kind = error instanceof ApplyError ? error.kind : 'DATA';
    const text = error instanceof Error ? error.message : String(error);
    const sequence = message.sequence;
    return {
      error: {
        level: 'ERROR',
        kind,
        message: text,
        drUuid,
        transactionUuid,
        ...(sequence === undefined ? {} : { sequence }),
      },
    };
  }
};
