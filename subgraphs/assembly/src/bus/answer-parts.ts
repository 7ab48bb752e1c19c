import type { AnsweredRecord } from '@fds/adaptor-protocol';

/** The content of one message of an answer. */
export interface AnswerPart {
  /** From 1. */
  readonly part: number;
  readonly last: boolean;
  readonly records: readonly AnsweredRecord[];
  readonly timestamps: readonly number[] | undefined;
}

/** The parts of an answer, which may arrive in any order. */
export interface AnswerParts {
  /** False for a part that has arrived already, and for one after the last. */
  isMissing(part: number): boolean;
  /** Adds a missing part. */
  add(part: AnswerPart): void;
  /** Have all parts up to the last arrived? */
  readonly isComplete: boolean;
  /** In the order of their numbers. */
  inOrder(): readonly AnswerPart[];
}

export const createAnswerParts = (): AnswerParts => {
  const parts = new Map<number, AnswerPart>();
  let lastPart = Infinity;

  const isMissing = (part: number): boolean => part >= 1 && part <= lastPart && !parts.has(part);

  return {
    isMissing,
    add: (part) => {
      parts.set(part.part, part);
      if (!part.last) return;
      lastPart = part.part;
      for (const number of parts.keys()) if (number > lastPart) parts.delete(number);
    },
    get isComplete() {
      return parts.size === lastPart;
    },
    inOrder: () => [...parts.values()].sort((one, other) => one.part - other.part),
  };
};
