import type { ServerBus } from '@fds/adaptor-bus';
import {
  buildMessage,
  parseMessage,
  serverSource,
  type AnsweredRecord,
  type AssemblyRequest,
} from '@fds/adaptor-protocol';
import type { Log } from '@fds/service';

/** A question to one adaptor; `requestUuid` is given by the asker. */
type Question = Omit<AssemblyRequest, 'requestUuid'>;

/** An adaptor's whole answer, its parts put together. */
export interface AdaptorAnswer {
  readonly records: readonly AnsweredRecord[];
}

/** Asks adaptors for live data over the bus and waits for their answers. */
export interface AdaptorQuestions {
  /**
   * @throws AdaptorRefusal when the adaptor answers with an error
   * @throws the signal's reason when it is aborted first; a late answer is dropped
   */
  ask(adaptorUuid: string, question: Question, signal: AbortSignal): Promise<AdaptorAnswer>;
}

/** The adaptor answered that it cannot. */
class AdaptorRefusal extends Error {
  override readonly name = 'AdaptorRefusal';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Waiting {
  readonly adaptorUuid: string;
  readonly records: AnsweredRecord[];
  /** Part that comes next, from 1. */
  nextPart: number;
  readonly settle: (answer: AdaptorAnswer) => void;
  readonly fail: (reason: unknown) => void;
}

export interface AdaptorQuestionsDependencies {
  readonly bus: ServerBus;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** Takes over the bus's `rsp` messages. */
export const createAdaptorQuestions = ({ bus, log, now, newUuid }: AdaptorQuestionsDependencies): AdaptorQuestions => {
  const waiting = new Map<string, Waiting>();

  bus.handle('rsp', ({ adaptorUuid, payload }) => {
    const parsed = parseMessage('up/rsp', payload);
    if (!parsed.ok) {
      log.warn({ adaptorUuid, faults: parsed.faults }, 'an assembly answer is not valid');
      return;
    }
    const { requestUuid, part, last, records, error } = parsed.value.data;
    const entry = waiting.get(requestUuid);
    // late, or an answer to somebody else's question
    if (entry === undefined || entry.adaptorUuid !== adaptorUuid) return;
    if (error !== undefined) {
      entry.fail(new AdaptorRefusal(error.code, error.message));
    } else if (part !== entry.nextPart) {
      entry.fail(new AdaptorRefusal('PART_MISSING', `part ${part} came instead of ${entry.nextPart}`));
    } else {
      entry.records.push(...records);
      entry.nextPart += 1;
      if (last) entry.settle({ records: entry.records });
    }
  });

  return {
    ask: async (adaptorUuid, question, signal) => {
      signal.throwIfAborted();
      const requestUuid = newUuid();
      const sentAt = now();
      try {
        return await new Promise<AdaptorAnswer>((settle, fail) => {
          waiting.set(requestUuid, { adaptorUuid, records: [], nextPart: 1, settle, fail });
          signal.addEventListener('abort', () => fail(signal.reason), { once: true });
          const message = buildMessage('down/req', {
            id: newUuid(),
            source: serverSource,
            type: 'fds.assembly.request.v1',
            time: sentAt.toISOString(),
            correlationid: requestUuid,
            expirytime: new Date(sentAt.getTime() + question.timeoutMilliseconds).toISOString(),
            data: { ...question, requestUuid },
          });
          bus.publish(adaptorUuid, 'req', message).catch(fail);
        });
      } finally {
        waiting.delete(requestUuid);
      }
    },
  };
};
