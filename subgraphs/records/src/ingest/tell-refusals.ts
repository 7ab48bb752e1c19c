import { buildMessage, serverSource } from '@fds/adaptor-protocol';
import type { ServerBus } from '@fds/adaptor-bus';
import { type JsonValue, parseJson } from '@fds/json';
import type { Log } from '@fds/service';
import type { EventOutcome, RaisedIssue } from '../domain/events/event-outcome.js';
import { refusalOf } from '../domain/issues/refusal-of.js';
import type { QueuedEvent } from './queued-event.js';

/** An event of `up/data` that became an issue when it arrived. */
export interface NewIssue {
  readonly queued: Pick<QueuedEvent, 'adaptor' | 'event'>;
  readonly position: NonNullable<QueuedEvent['position']>;
  readonly issue: RaisedIssue;
}

/**
 * The issue that an event raised, if its adaptor is to be informed: not of events that wait behind another one of their record,
 * and not again of those that have waited.
 */
export const newIssueOf = (queued: QueuedEvent, { issue }: EventOutcome): NewIssue | undefined => {
  const { position, held } = queued;
  if (issue === undefined || issue.cause === 'HELD' || position === undefined || held !== undefined) return undefined;
  return { queued, position, issue };
};

export interface RefusalTelling {
  readonly bus: ServerBus;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

const readData = (text: string | null): JsonValue => {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return text;
  }
};

/** Informs adaptors, as far as they are connected, of their events that became issues (`fds.refused.v1`). */
export const tellRefusals = ({ bus, log, now, newUuid }: RefusalTelling, issues: readonly NewIssue[]): void => {
  for (const { queued, position, issue } of issues) {
    const { adaptor, event } = queued;
    const { key, drUuid } = event;
    const data = refusalOf(issue, { position, key, drUuid, data: readData(issue.dataEvent) });
    const envelope = { id: newUuid(), source: serverSource, time: now().toISOString() };
    bus
      .publish(adaptor.uuid, 'ops', buildMessage('down/ops', { ...envelope, type: 'fds.refused.v1', data }))
      .catch((error: unknown) =>
        log.debug({ err: error, adaptorUuid: adaptor.uuid }, 'the bus did not take a notice of a refused event'),
      );
  }
};
