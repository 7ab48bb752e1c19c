import type { AnsweredRecord } from '@fds/adaptor-protocol';

/** The content of one message of an answer. */
export interface AnswerPart {
  /** From 1. */
  readonly part: number;
  readonly last: boolean;
  readonly records: readonly AnsweredRecord[];
  readonly timestamps: readonly number[] | undefined;
}

/** The parts of an answer, in whatever order they come. */
export interface AnswerParts {
  /** False for a part that is there already, and for one beyond the last. */
  isMissing(part: number): boolean;
  /** Takes a part that is missing. */
  add(part: AnswerPart): void;
  /** Is every part up to the last there? */
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
