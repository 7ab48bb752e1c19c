import { callerGone } from '@fds/service';

/**
 * The single answer of an operation, as a generator. graphql-ws ends the generator when the client sends `complete`,
 * which aborts the operation. Nothing runs before the answer is requested.
 *
 * @param run gets a signal that aborts when the client no longer wants the answer, or when `socketGone` aborts
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
