import { setTimeout as sleep } from 'node:timers/promises';
import { type AdaptorError, type EventMessage, type Link, parseDrKey, parseJsonData } from '@fds/adaptor-protocol';
import { type AdaptorHandlers, type Applied, ApplyError, type IncomingEvent, type NotApplied } from '../handlers.js';
import type { ReportBody } from '../journal/build-reports.js';
import type { KeptReport } from '../journal/kept-properties.js';
import { newProperties } from '../merge/merge-event.js';
import { reasonOf } from '../reason-of.js';
import type { Aside } from './create-keyed-task-pool.js';

/** An event that cannot be applied yet. */
interface Waits {
  /** The resource that it waits for; undefined: its handler named none. */
  readonly waitsFor: string | undefined;
  readonly reason: string;
  /** True: the event waits for an event that comes later, so the cause does not concern the others of its table. */
  readonly isOwn: boolean;
}

/** Result of an event: its reports, or the reason why it must wait. */
export type Outcome =
  | { readonly reports: readonly ReportBody[]; readonly waits?: undefined }
  | { readonly waits: Waits; readonly reports?: undefined };

const fewAttempts = 5;

const eventOf = ({ data, epoch, sequence }: EventMessage<'down/data'>): IncomingEvent => ({
  ...data,
  json: parseJsonData(data.jsonData),
  drKeyValues: parseDrKey(data.drKey),
  position: { epoch: epoch ?? '', sequence: sequence ?? 0 },
});

const mayRetry = (error: unknown, attempt: number): boolean =>
  error instanceof ApplyError && error.retry === 'A_FEW_TIMES' && attempt < fewAttempts;

/** Controls how attempts are repeated. */
export interface Attempts {
  /** Ends the wait between attempts. */
  readonly stopping: AbortSignal;
  readonly aside: Aside;
  /** May an event with WHILE_OTHERS_WORK wait now? */
  readonly othersWork: () => boolean;
  /** Called once, when the first attempt failed and another one will follow. */
  readonly onRetry: (error: unknown) => void;
  /** Called for each attempt that is repeated at once. */
  readonly onRepeat: () => void;
}

const attemptUntilDone = async (
  handlers: AdaptorHandlers,
  event: IncomingEvent,
  { stopping, aside, onRetry, onRepeat }: Attempts,
): Promise<Applied | undefined> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (await handlers.applied?.has(event.position)) return undefined;
      return (await handlers.apply?.(event)) ?? undefined;
    } catch (error) {
      if (!mayRetry(error, attempt)) throw error;
      onRepeat();
      if (attempt === 1) onRetry(error);
      await aside(() => sleep(100 * 2 ** attempt, undefined, { signal: stopping }));
    }
  }
};

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';

const linkOf = (event: IncomingEvent, applied: Applied | undefined): Link | undefined => {
  // a record that was kept although it was deleted elsewhere is reported next, and keeps its link until then
  const isKept = event.action === 'DELETE' && (applied?.kept ?? []).length > 0;
  if (event.action === 'PUT' || isKept) return undefined;
  const { drUuid, domain, version } = event;
  const action = event.action === 'POST' ? 'LINK' : 'UNLINK';
  return { action, domain, version, drUuid, ...(applied?.drKey === undefined ? {} : { drKey: applied.drKey }) };
};

const keptOf = (event: IncomingEvent, applied: Applied | undefined): KeptReport => {
  const { drUuid, domain, version, drKeyValues, position, action } = event;
  return {
    drUuid,
    domain,
    version,
    drKeyValues:
      applied?.drKey === undefined ? drKeyValues : Object.values(applied.drKey).map((value) => value ?? null),
    epoch: position.epoch,
    sequence: position.sequence,
    kept: applied?.kept ?? [],
    brought: action === 'DELETE' ? undefined : newProperties(event),
  };
};

/** Longest title, and longest list of properties. */
const [maxTitleLength, maxProperties] = [500, 256];

const placeOf = ({ data: { drUuid, transactionUuid }, sequence }: EventMessage<'down/data'>) => ({
  drUuid,
  transactionUuid,
  ...(sequence === undefined ? {} : { sequence }),
});

const warningOf = (
  message: EventMessage<'down/data'>,
  notApplied: readonly NotApplied[] = [],
): AdaptorError | undefined => {
  if (notApplied.length === 0) return undefined;
  const named = notApplied.slice(0, maxProperties);
  const reasons = new Set(named.map(({ reason }) => reason));
  const [reason = ''] = reasons;
  return {
    level: 'WARN',
    kind: 'DATA',
    message: reasons.size === 1 ? reason : named.map((it) => `${it.property}: ${it.reason}`).join('; '),
    properties: [...new Set(named.map(({ property }) => property))],
    ...placeOf(message),
  };
};

const errorOf = (message: EventMessage<'down/data'>, error: unknown): AdaptorError => {
  const { title, properties } = error instanceof ApplyError ? error : {};
  return {
    level: 'ERROR',
    // each refusal is an issue of its event
    kind: 'DATA',
    message: reasonOf(error),
    ...(title === undefined ? {} : { title: title.slice(0, maxTitleLength) }),
    ...(properties === undefined ? {} : { properties: properties.slice(0, maxProperties) }),
    ...placeOf(message),
  };
};

/**
 * Applies an event: repeats attempts as the handler requests, or returns an error for the server, or the reason why the
 * event must wait.
 *
 * @throws AbortError when it was stopped before the event was done
 */
export const applyEvent = async (
  handlers: AdaptorHandlers,
  message: EventMessage<'down/data'>,
  attempts: Attempts,
): Promise<Outcome> => {
  try {
    const event = eventOf(message);
    const applied = await attemptUntilDone(handlers, event, attempts);
    const link = linkOf(event, applied);
    const warning = warningOf(message, applied?.notApplied);
    const errors = warning === undefined ? [] : [{ error: warning }];
    const links = link === undefined ? [] : [{ link }];
    return { reports: [{ kept: keptOf(event, applied) }, ...links, ...errors] };
  } catch (error) {
    if (attempts.stopping.aborted && isAbort(error)) throw error;
    if (error instanceof ApplyError) {
      const { retry, waitsFor, title, message: text } = error;
      const isOwn = retry === 'WHILE_OTHERS_WORK';
      if (retry === 'UNTIL_IT_WORKS' || (isOwn && attempts.othersWork()))
        return { waits: { waitsFor, reason: title ?? text, isOwn } };
    }
    return { reports: [{ error: errorOf(message, error) }] };
  }
};
