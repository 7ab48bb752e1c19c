import type { AssemblyAnswer, Message } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import { createKeyedTaskPool } from '../channel/create-keyed-task-pool.js';
import type { AdaptorHandlers } from '../handlers.js';
import { answerRequest } from './answer-request.js';
import type { ServerClock } from './server-clock.js';

/** Handles the assembly requests of the server. */
export interface RequestServer {
  /** Handles a request when fewer than `concurrency` are handled. A request that has expired by then is not handled. */
  take(message: Message<'down/req'>): void;
  /** Drops the requests that have not begun. Resolves when the running ones are done. */
  halt(): Promise<void>;
}

export interface RequestServerOptions {
  readonly handlers: Pick<AdaptorHandlers, 'assemble'>;
  /** Maximum number of requests that are handled at the same time. */
  readonly concurrency: number;
  readonly clock: ServerClock;
  /** Aborts every request that is being handled. */
  readonly signal: AbortSignal;
  /** Sends a part of an answer. */
  readonly answer: (request: Message<'down/req'>, part: AssemblyAnswer) => void;
  readonly log: AdaptorLog;
}

/** Never answers an expired request, even if its handler has begun or its first parts were sent. */
export const serveRequests = (options: RequestServerOptions): RequestServer => {
  const { handlers, concurrency, clock, signal, answer, log } = options;
  const tasks = createKeyedTaskPool(concurrency);

  const handle = async (message: Message<'down/req'>, over: AbortSignal): Promise<void> => {
    const { data, expirytime } = message;
    const isOver = (): boolean => over.aborted || (expirytime !== undefined && clock.hasPassed(expirytime));
    if (isOver()) return;
    for (const part of await answerRequest(handlers, data, over, log)) if (!isOver()) answer(message, part);
  };

  return {
    take: (message) => {
      clock.hear(message.time);
      const { requestUuid, timeoutMilliseconds } = message.data;
      const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]);
      tasks.add(requestUuid, () => handle(message, over));
    },
    halt: () => tasks.halt(),
  };
};
