import { buildMessage, type Refusal, serverSource } from '@fds/adaptor-protocol';
import type { ServerBus } from '@fds/adaptor-bus';
import { type JsonValue, parseJson } from '@fds/json';
import type { Log } from '@fds/service';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import { refusalNoticeOf } from '../../domain/issues/refusal-notice-of.js';
import type { QueuedEvent } from './queued-event.js';

/** An event of `up/data` that became an issue when it arrived, and the notice of it for its adaptor. */
export interface NewIssue {
  readonly adaptorUuid: string;
  readonly refusal: Refusal;
}

const readData = (text: string | null): JsonValue => {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return text;
  }
};

/**
 * The issue that an event raised, if its adaptor is to be informed: not of events that wait behind another one of their record,
 * and not again of those that have waited.
 */
export const newIssueOf = (
  { adaptor, event, position, parked }: Pick<QueuedEvent, 'adaptor' | 'event' | 'position' | 'parked'>,
  { issue }: EventOutcome,
): NewIssue | undefined => {
  if (issue === undefined || issue.cause === 'HELD' || position === undefined || parked !== undefined) return undefined;
  const { key, drUuid } = event;
  const refusal = refusalNoticeOf(issue, { position, key, drUuid, data: readData(issue.dataEvent) });
  return { adaptorUuid: adaptor.uuid, refusal };
};

export interface RefusalTelling {
  readonly bus: ServerBus;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** Sends notices to adaptors that are connected (`fds.refused.v1`). */
export const tellRefusals = ({ bus, log, now, newUuid }: RefusalTelling, issues: readonly NewIssue[]): void => {
  for (const { adaptorUuid, refusal: data } of issues) {
    const envelope = { id: newUuid(), source: serverSource, time: now().toISOString() };
    bus
      .publish(adaptorUuid, 'ops', buildMessage('down/ops', { ...envelope, type: 'fds.refused.v1', data }))
      .catch((error: unknown) =>
        log.debug({ err: error, adaptorUuid }, 'the bus did not take a notice of a refused event'),
      );
  }
};
