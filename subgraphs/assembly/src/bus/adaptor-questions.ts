import type { ServerBus } from '@fds/adaptor-bus';
import {
  buildMessage,
  parseMessage,
  serverSource,
  type AnsweredRecord,
  type AssemblyRequest,
} from '@fds/adaptor-protocol';
import type { Log } from '@fds/service';
import type { AnswerBound, AnswerLimits, RequestShare } from '../bounds/answer-budget.js';
import { retainedBytes } from '../bounds/retained-bytes.js';
import { findRequestUuid } from './find-request-uuid.js';

/** A question to one adaptor; `requestUuid` is given by the asker. */
type Question = Omit<AssemblyRequest, 'requestUuid'>;

/** An adaptor's whole answer, its parts put together. */
interface AdaptorAnswer {
  readonly records: readonly AnsweredRecord[];
  /** The timestamps of a timestamp search that all parts have next to their records. */
  readonly timestamps?: readonly number[] | undefined;
}

/** Asks adaptors for live data over the bus and waits for their answers. */
export interface AdaptorQuestions {
  /**
   * @param share memory for the answer; a failed answer gives its memory back
   * @throws AdaptorRefusal when the adaptor answers with an error, or with more than an answer may have
   * @throws the signal's reason when it is aborted first; a late answer is dropped
   */
  ask(adaptorUuid: string, question: Question, share: RequestShare, signal: AbortSignal): Promise<AdaptorAnswer>;
}

/** The adaptor answered that it cannot, or its answer cannot be taken. */
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
  /** Uuids of the records that are asked for; undefined: all. An answer may also name a record by its key. */
  readonly wanted: ReadonlySet<string> | undefined;
  readonly share: RequestShare;
  readonly records: AnsweredRecord[];
  timestamps: number[] | undefined;
  /** Memory that the records take. */
  bytes: number;
  /** Part that comes next, from 1. */
  nextPart: number;
  readonly settle: (answer: AdaptorAnswer) => void;
  readonly fail: (reason: unknown) => void;
}

export interface AdaptorQuestionsDependencies {
  readonly bus: ServerBus;
  readonly limits: AnswerLimits;
  /** Called for each answer that a limit ends. */
  readonly onBoundHit: (bound: AnswerBound) => void;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** Takes over the bus's `rsp` messages. */
export const createAdaptorQuestions = (dependencies: AdaptorQuestionsDependencies): AdaptorQuestions => {
  const { bus, limits, onBoundHit, log, now, newUuid } = dependencies;
  const waiting = new Map<string, Waiting>();

  /** The answer takes too much. From here on its parts are dropped unread, because no question waits for them. */
  const cut = (requestUuid: string, entry: Waiting, bound: AnswerBound): void => {
    waiting.delete(requestUuid);
    onBoundHit(bound);
    entry.fail(new AdaptorRefusal('ANSWER_TOO_LARGE', `the answer exceeds the bound ${bound}`));
  };

  const boundOf = (entry: Waiting, bytes: number): AnswerBound | undefined =>
    entry.bytes + bytes > limits.maxAnswerBytes || entry.nextPart > limits.maxAnswerParts
      ? 'assembly_answer'
      : undefined;

  const takePart = (
    requestUuid: string,
    entry: Waiting,
    { records, timestamps }: AdaptorAnswer,
    bytes: number,
  ): boolean => {
    const { wanted } = entry;
    const kept = records.filter(
      ({ drUuid }) => wanted === undefined || drUuid === undefined || wanted.has(drUuid.toLowerCase()),
    );
    const retained = retainedBytes([kept, timestamps], bytes);
    const bound = boundOf(entry, retained) ?? entry.share.take(retained);
    if (bound !== undefined) {
      cut(requestUuid, entry, bound);
      return false;
    }
    entry.bytes += retained;
    entry.records.push(...kept);
    if (timestamps !== undefined) (entry.timestamps ??= []).push(...timestamps);
    entry.nextPart += 1;
    return true;
  };

  bus.handle('rsp', ({ adaptorUuid, payload }) => {
    const requestUuid = findRequestUuid(payload, (uuid) => waiting.get(uuid)?.adaptorUuid === adaptorUuid);
    const entry = requestUuid === undefined ? undefined : waiting.get(requestUuid);
    // late, or the answer to a question of another adaptor
    if (requestUuid === undefined || entry === undefined) return;
    const bound = boundOf(entry, payload.byteLength);
    if (bound !== undefined) return cut(requestUuid, entry, bound);
    const parsed = parseMessage('up/rsp', payload);
    if (!parsed.ok) {
      log.warn({ adaptorUuid, faults: parsed.faults }, 'an assembly answer is not valid');
      return;
    }
    const { part, last, error } = parsed.value.data;
    // the text names the request elsewhere than in the answer
    if (parsed.value.data.requestUuid !== requestUuid) return;
    if (error !== undefined) {
      entry.fail(new AdaptorRefusal(error.code, error.message));
    } else if (part !== entry.nextPart) {
      entry.fail(new AdaptorRefusal('PART_MISSING', `part ${part} came instead of ${entry.nextPart}`));
    } else if (takePart(requestUuid, entry, parsed.value.data, payload.byteLength) && last) {
      entry.settle({ records: entry.records, timestamps: entry.timestamps });
    }
  });

  return {
    ask: async (adaptorUuid, question, share, signal) => {
      signal.throwIfAborted();
      const requestUuid = newUuid();
      const sentAt = now();
      const wanted = question.records === null ? undefined : new Set(question.records.map(({ drUuid }) => drUuid));
      let entry: Waiting | undefined;
      try {
        return await new Promise<AdaptorAnswer>((settle, fail) => {
          entry = {
            adaptorUuid,
            wanted,
            share,
            records: [],
            timestamps: undefined,
            bytes: 0,
            nextPart: 1,
            settle,
            fail,
          };
          waiting.set(requestUuid, entry);
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
      } catch (failure) {
        if (entry !== undefined) share.giveBack(entry.bytes);
        throw failure;
      } finally {
        waiting.delete(requestUuid);
      }
    },
  };
};
