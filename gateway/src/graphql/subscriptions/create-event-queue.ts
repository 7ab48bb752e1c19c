/** Messages for one subscription that its client has not read. */
export interface EventQueue<Message> {
  /** @returns false when the waiting messages exceed the bound; the queue has ended then */
  push(message: Message, bytes: number): boolean;
  /** Settles when less than half of the bound waits, or the queue has ended. */
  room(): Promise<void>;
  /** Ends the queue with an error after the waiting messages. */
  fail(error: Error): void;
  /** Idempotent. */
  end(): void;
  readonly messages: AsyncGenerator<Message, void, undefined>;
}

/** @param onEnd called once when the client, an error or `end` ends the queue */
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
      // a single message may exceed the bound
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
