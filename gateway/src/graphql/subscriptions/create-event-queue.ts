/** Messages for one subscription that its client has not taken. */
export interface EventQueue<Message> {
  /** @returns false when the messages that wait are larger than the bound; the queue is ended then */
  push(message: Message, bytes: number): boolean;
  /** Settles when fewer than half of the bound waits, or the queue has ended. */
  room(): Promise<void>;
  /** The next message ends the queue. */
  fail(error: Error): void;
  /** Idempotent. */
  end(): void;
  readonly messages: AsyncGenerator<Message, void, undefined>;
}

/** @param onEnd called once, when the client, an error or `end` ends it */
export const createEventQueue = <Message>(maxBytes: number, onEnd: () => void): EventQueue<Message> => {
  const waiting: { readonly message: Message; readonly bytes: number }[] = [];
  const state: { bytes: number; isEnded: boolean; failure?: Error } = { bytes: 0, isEnded: false };
  let wakeReader: (() => void) | undefined;
  let wakeWriter: (() => void) | undefined;
  const isEmpty = (): boolean => waiting.length === 0 && !state.isEnded && state.failure === undefined;
  const isHalfFull = (): boolean => !state.isEnded && state.bytes * 2 >= maxBytes;

  const end = (): void => {
    if (state.isEnded) return;
    state.isEnded = true;
    waiting.length = 0;
    state.bytes = 0;
    wakeReader?.();
    wakeWriter?.();
    onEnd();
  };

  const next = async (): Promise<IteratorResult<Message, void>> => {
    while (isEmpty()) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    const first = waiting.shift();
    if (first !== undefined) {
      state.bytes -= first.bytes;
      if (!isHalfFull()) wakeWriter?.();
      return { done: false, value: first.message };
    }
    const { failure } = state;
    if (failure !== undefined && !state.isEnded) {
      end();
      throw failure;
    }
    return { done: true, value: undefined };
  };

  const messages: AsyncGenerator<Message, void, undefined> = {
    next,
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
    throw: async (error) => {
      end();
      throw error;
    },
    [Symbol.asyncIterator]: () => messages,
    [Symbol.asyncDispose]: async () => end(),
  };

  return {
    messages,
    push: (message, size) => {
      if (state.isEnded) return true;
      // one message may be larger than the bound
      if (waiting.length > 0 && state.bytes + size > maxBytes) {
        end();
        return false;
      }
      waiting.push({ message, bytes: size });
      state.bytes += size;
      wakeReader?.();
      return true;
    },
    room: async () => {
      while (isHalfFull()) {
        await new Promise<void>((resolve) => {
          wakeWriter = resolve;
        });
      }
    },
    fail: (error) => {
      state.failure = error;
      wakeReader?.();
    },
    end,
  };
};
