import { LRUCache } from 'lru-cache';

/** So many executions of a statement that has found many rows go without it. */
const skipped = 15;
const maxStatements = 500;
const maxBytes = 2 ** 20;

/** Remembers which statements for few rows have found many. Holds a bounded number of statements, and of bytes. */
export interface FewOrMany {
  /** False for some time after the statement has found many rows. */
  isWorthAnAttempt(text: string): boolean;
  foundMany(text: string): void;
}

export const createFewOrMany = (): FewOrMany => {
  const left = new LRUCache<string, number>({
    max: maxStatements,
    maxSize: maxBytes,
    sizeCalculation: (_count, text) => 2 * text.length + 1,
  });
  return {
    isWorthAnAttempt: (text) => {
      const count = left.get(text);
      if (count === undefined) return true;
      if (count === 1) left.delete(text);
      else left.set(text, count - 1);
      return false;
    },
    foundMany: (text) => {
      left.set(text, skipped);
    },
  };
};
