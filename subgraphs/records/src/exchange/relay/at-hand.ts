import type { OutboxMessage } from '../../store/channels/delivery.js';

/** Messages that all outlets of a process keep at hand together, in characters. */
export interface AtHandBudget {
  used: number;
  readonly max: number;
}

/** Messages that one adaptor is sent next, by number of the outbox, in order. */
export interface AtHand {
  has(number: number): boolean;
  readonly size: number;
  /** Keeps a message where there is room. */
  offer(message: OutboxMessage): void;
  /** Replaces everything by messages that were read, whether there is room or not: `load` has bounded them. */
  replace(messages: readonly OutboxMessage[]): void;
  /** The messages of a range, in order. */
  peek(from: number, to: number): OutboxMessage[];
  /** Drops the messages up to a number. */
  drop(upto: number): void;
  clear(): void;
  /** Most characters that may be read at once. At least one message is read, so every adaptor makes progress. */
  readonly maxLoaded: number;
}

/** Most messages and characters of one adaptor that are kept. */
const maxMessages = 512;
const maxCharacters = 4 * 2 ** 20;

const sizeOf = ({ message }: OutboxMessage): number => message?.length ?? 0;

export const createAtHand = (budget: AtHandBudget): AtHand => {
  const messages = new Map<number, OutboxMessage>();
  let own = 0;

  const add = (message: OutboxMessage): void => {
    messages.set(message.sequence, message);
    own += sizeOf(message);
    budget.used += sizeOf(message);
  };
  const remove = (number: number, message: OutboxMessage): void => {
    messages.delete(number);
    own -= sizeOf(message);
    budget.used -= sizeOf(message);
  };
  const clear = (): void => {
    for (const [number, message] of messages) remove(number, message);
  };

  return {
    has: (number) => messages.has(number),
    get size() {
      return messages.size;
    },
    offer: (message) => {
      if (messages.has(message.sequence)) return;
      const size = sizeOf(message);
      if (messages.size < maxMessages && own + size <= maxCharacters && budget.used + size <= budget.max) add(message);
    },
    replace: (loaded) => {
      clear();
      for (const message of loaded) add(message);
    },
    peek: (from, to) => {
      const found: OutboxMessage[] = [];
      for (const [number, message] of messages) {
        if (number > to) break;
        // an acknowledgement can be ahead of the messages sent since a rewind
        if (number >= from) found.push(message);
      }
      return found;
    },
    drop: (upto) => {
      for (const [number, message] of messages) {
        if (number > upto) break;
        remove(number, message);
      }
    },
    clear,
    get maxLoaded() {
      return Math.max(1, Math.min(maxCharacters, budget.max - budget.used));
    },
  };
};
