import type { ServerBus, UpMessage } from '@fds/adaptor-bus';
import { createLogRate, describeFaults, parseMessage } from '@fds/adaptor-protocol';
import type { Log } from '@fds/service';
import { AdaptorRefusal } from './adaptor-questions.js';
import type { AnswerPart } from './answer-parts.js';
import { findRequestUuid } from './find-request-uuid.js';

/**
 * The reason why a message on `up/rsp`, or a part of it, is dropped. UNREADABLE: it cannot be read, or is not an
 * answer; NOT_WAITED_FOR: it is late, or another process asked; OTHER_ADAPTOR: the question went to another adaptor;
 * REPEATED_PART: the part has arrived before, or comes after the last one; UNASKED_RECORD: the question did not ask for
 * the record.
 */
export type DropReason = 'UNREADABLE' | 'NOT_WAITED_FOR' | 'OTHER_ADAPTOR' | 'REPEATED_PART' | 'UNASKED_RECORD';

/** A question that waits for the answer to one of its messages. */
export interface Awaited {
  readonly adaptorUuid: string;
  /** May a message of this many bytes be read? */
  mayRead(bytes: number): boolean;
  take(part: AnswerPart, bytes: number): void;
  /** Called when the adaptor answered with an error, or its answer cannot be read. */
  refuse(refusal: AdaptorRefusal): void;
}

/** Passes answers of adaptors to the questions that wait for them, and drops all other messages. */
export interface AnswerDesk {
  open(requestUuid: string, awaited: Awaited): void;
  close(requestUuid: string): void;
  countDropped(reason: DropReason): void;
}

export interface AnswerDeskDependencies {
  readonly bus: Pick<ServerBus, 'handle'>;
  readonly countDropped: (reason: DropReason) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Handles the bus's `rsp` messages. */
export const createAnswerDesk = ({ bus, countDropped, log }: AnswerDeskDependencies): AnswerDesk => {
  const waiting = new Map<string, Awaited>();
  const logRate = createLogRate();

  const awaitedBy = ({ adaptorUuid, payload }: UpMessage): readonly [string, Awaited] | undefined => {
    const uuid = findRequestUuid(payload, (named) => waiting.get(named)?.adaptorUuid === adaptorUuid);
    const awaited = uuid === undefined ? undefined : waiting.get(uuid);
    return uuid === undefined || awaited === undefined ? undefined : [uuid, awaited];
  };

  const reportUnreadable = (adaptorUuid: string, faults: string): void => {
    countDropped('UNREADABLE');
    const passed = logRate.pass(performance.now());
    if (passed !== undefined) log.warn({ adaptorUuid, faults, ...passed }, 'an assembly answer is not valid');
  };

  /** Drops a message without parsing it, because no question waits for it. */
  const dropUnawaited = ({ adaptorUuid, payload }: UpMessage): void => {
    const names = (knows: (uuid: string) => boolean): boolean => findRequestUuid(payload, knows) !== undefined;
    if (names((uuid) => waiting.has(uuid))) countDropped('OTHER_ADAPTOR');
    else if (names(() => true)) countDropped('NOT_WAITED_FOR');
    else reportUnreadable(adaptorUuid, 'it names no request');
  };

  bus.handle('rsp', (message) => {
    const { adaptorUuid, payload } = message;
    const found = awaitedBy(message);
    if (found === undefined) return dropUnawaited(message);
    const [requestUuid, awaited] = found;
    if (!awaited.mayRead(payload.byteLength)) return;
    const parsed = parseMessage('up/rsp', payload);
    if (!parsed.ok || parsed.value.data.part < 1) {
      reportUnreadable(adaptorUuid, parsed.ok ? '/data/part: must be from 1' : describeFaults(parsed.faults));
      awaited.refuse(new AdaptorRefusal('ANSWER_UNREADABLE', 'a part of the answer cannot be read'));
      return;
    }
    const { part, last, records, timestamps, error, ...answer } = parsed.value.data;
    // the id of the question is in the text, but not at the place of the answer
    if (answer.requestUuid !== requestUuid) return countDropped('NOT_WAITED_FOR');
    if (error !== undefined) awaited.refuse(new AdaptorRefusal(error.code, error.message));
    else awaited.take({ part, last, records, timestamps }, payload.byteLength);
  });

  return {
    open: (requestUuid, awaited) => void waiting.set(requestUuid, awaited),
    close: (requestUuid) => void waiting.delete(requestUuid),
    countDropped,
  };
};
