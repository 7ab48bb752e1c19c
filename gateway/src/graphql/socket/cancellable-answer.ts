import { callerGone } from '@fds/service';

/**
 * The one answer of an operation, as the generator that graphql-ws ends when the client sends `complete`: the end aborts the
 * operation. Nothing runs before the answer is asked for.
 *
 * @param run gets a signal that aborts when the answer is no longer wanted, or when `socketGone` does
 */
export const cancellableAnswer = <Answer>(
  run: (signal: AbortSignal) => Promise<Answer>,
  socketGone: AbortSignal,
): AsyncGenerator<Answer, void, undefined> => {
  const unwanted = new AbortController();
  const cancel = (): void => unwanted.abort(callerGone);
  let started = false;
  const end = { done: true, value: undefined } as const;

  const generator: AsyncGenerator<Answer, void, undefined> = {
    next: async () => {
      if (started || unwanted.signal.aborted || socketGone.aborted) return end;
      started = true;
      socketGone.addEventListener('abort', cancel, { once: true });
      try {
        const value = await run(unwanted.signal);
        return unwanted.signal.aborted ? end : { done: false, value };
      } finally {
        socketGone.removeEventListener('abort', cancel);
      }
    },
    return: async () => {
      cancel();
      return end;
    },
    throw: async (error) => {
      cancel();
      throw error;
    },
    [Symbol.asyncIterator]: () => generator,
    [Symbol.asyncDispose]: async () => cancel(),
  };
  return generator;
};
