import type { AssemblyAnswer, Message, Tracer } from '@fds/adaptor-protocol';
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
  readonly answer: (request: Message<'down/req'>, part: AssemblyAnswer, traceparent?: string) => void;
  readonly log: AdaptorLog;
  /** Undefined: traces are off. */
  readonly tracer: Pick<Tracer, 'start'> | undefined;
}

const processed = { 'messaging.system': 'mqtt', 'messaging.operation.type': 'process' } as const;

/** Never answers an expired request, even if its handler has begun or its first parts were sent. */
export const serveRequests = (options: RequestServerOptions): RequestServer => {
  const { handlers, concurrency, clock, signal, answer, log, tracer } = options;
  const tasks = createKeyedTaskPool(concurrency);

  const handle = async (message: Message<'down/req'>, over: AbortSignal): Promise<void> => {
    const { data, expirytime, traceparent } = message;
    const isOver = (): boolean => over.aborted || (expirytime !== undefined && clock.hasPassed(expirytime));
    if (isOver()) return;
    const span =
      traceparent === undefined
        ? undefined
        : tracer?.start({ name: 'assemble', kind: 'CONSUMER', parent: traceparent, attributes: processed });
    const work = () => answerRequest(handlers, data, over, log);
    const parts = span === undefined ? await work() : await span.run(work);
    for (const part of parts) if (!isOver()) answer(message, part, span?.traceparent);
    span?.end(isOver() ? 'EXPIRED' : parts.find(({ error }) => error !== undefined)?.error?.code);
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
