import type { OpsAnswer, OpsRequest } from '@fds/adaptor-protocol';

/** A question without its id, which the caller of `ask` supplies. */
export type Question = Omit<OpsRequest, 'requestId'>;

/**
 * Questions to adaptors that wait for their answers. Every process receives every answer on `up/ops`. Only the process
 * that sent the question knows its `requestId`.
 */
export interface Questions {
  /** @returns undefined when the adaptor does not answer in time, disconnects, or cannot be reached */
  ask(adaptorUuid: string, requestId: string, question: Question): Promise<OpsAnswer | undefined>;
  /** Passes on an answer that arrived. @returns whether this process waited for it */
  answered(adaptorUuid: string, answer: OpsAnswer): boolean;
  /** Ends a question without an answer, because the answer cannot be read. */
  unreadable(adaptorUuid: string, requestId: string): void;
  /** Ends the questions to an adaptor that reported its end, or whose last will did. */
  gone(adaptorUuid: string): void;
  /** Ends all questions without an answer. */
  close(): void;
}

export interface QuestionOptions {
  /** Publishes the question on the bus. If it rejects, the question ends. */
  readonly send: (adaptorUuid: string, request: OpsRequest) => Promise<void>;
  /** Longest time until an answer. */
  readonly timeoutMs: number;
}

interface Waiting {
  readonly adaptorUuid: string;
  readonly settle: (answer: OpsAnswer | undefined) => void;
}

export const createQuestions = ({ send, timeoutMs }: QuestionOptions): Questions => {
  const waiting = new Map<string, Waiting>();
  const giveUp = (concerns: (one: Waiting) => boolean): void => {
    for (const one of waiting.values()) if (concerns(one)) one.settle(undefined);
  };

  return {
    ask: async (adaptorUuid, requestId, question) => {
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<OpsAnswer | undefined>((settle) => {
          waiting.set(requestId, { adaptorUuid, settle });
          timer = setTimeout(() => settle(undefined), timeoutMs);
          send(adaptorUuid, { ...question, requestId }).catch(() => settle(undefined));
        });
      } finally {
        clearTimeout(timer);
        waiting.delete(requestId);
      }
    },
    answered: (adaptorUuid, answer) => {
      const one = waiting.get(answer.requestId);
      // an answer from a different adaptor does not count
      if (one === undefined || one.adaptorUuid !== adaptorUuid) return false;
      one.settle(answer);
      return true;
    },
    unreadable: (adaptorUuid, requestId) => {
      const one = waiting.get(requestId);
      if (one?.adaptorUuid === adaptorUuid) one.settle(undefined);
    },
    gone: (adaptorUuid) => giveUp((one) => one.adaptorUuid === adaptorUuid),
    close: () => giveUp(() => true),
  };
};
