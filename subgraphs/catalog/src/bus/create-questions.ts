import type { OpsAnswer, OpsRequest } from '@fds/adaptor-protocol';

/** A question without its id, which the asker gives. */
export type Question = Omit<OpsRequest, 'requestId'>;

/**
 * Questions to adaptors that wait for their answers. Every process hears every answer on `up/ops`: the one that asked
 * knows the `requestId`, the others do not.
 */
export interface Questions {
  /** @returns undefined when the adaptor does not answer in time, goes away, or cannot be reached */
  ask(adaptorUuid: string, requestId: string, question: Question): Promise<OpsAnswer | undefined>;
  /** An answer came in. @returns whether this process waited for it */
  answered(adaptorUuid: string, answer: OpsAnswer): boolean;
  /** An answer came in that cannot be read: the question ends without an answer. */
  unreadable(adaptorUuid: string, requestId: string): void;
  /** The adaptor reported its end, or its last will did: its questions end. */
  gone(adaptorUuid: string): void;
  /** Ends the waiting. */
  close(): void;
}

export interface QuestionOptions {
  /** Puts the question on the bus; a rejection ends the waiting. */
  readonly send: (adaptorUuid: string, request: OpsRequest) => Promise<void>;
  /** How long an adaptor may be silent. */
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
      // an answer from another adaptor than the asked one does not count
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
