import { createFairQueue } from '@fds/service';
import { errors, type Pool } from 'undici';
import { createTargetReader } from '../target/create-target-reader.js';
import type { TargetRule } from '../target/target-fault.js';
import type { ReceiverPools } from './create-receiver-pools.js';
import { codeOf } from './error-code.js';
import { exchangeOnPool, type AnswerLimits, type OutgoingAnswer, type PoolRequest } from './exchange-on-pool.js';

interface OutgoingRequest extends Omit<PoolRequest, 'path' | 'body'> {
  readonly url: string;
  readonly body?: string | undefined;
}

/** One guarded HTTP exchange. Redirects are answers like any other. @throws Error, RefusedTarget, QueueFull */
export type Exchange = (request: OutgoingRequest) => Promise<OutgoingAnswer>;

export interface ExchangeOptions extends AnswerLimits {
  readonly rule: TargetRule;
  readonly pools: ReceiverPools;
  /** Requests that run at once, in total and for one receiver. */
  readonly maxRequests: number;
  readonly maxReceiverRequests: number;
  /** Longest wait for a place. */
  readonly maxWaitMs: number;
}

const waitingPerReceiver = 1000;

/**
 * Did the receiver close a kept-alive connection at the moment of sending? Receivers know a repeated message by its id. An answer
 * that breaks the protocol is an answer, and is not asked for again.
 */
const isStale = (error: unknown): boolean =>
  error instanceof errors.SocketError
    ? error.message === 'other side closed' && (error.socket?.bytesRead ?? 0) > 0
    : ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

export const createExchange = (options: ExchangeOptions): Exchange => {
  const { rule, pools } = options;
  const targets = createTargetReader(rule);
  const places = createFairQueue({
    places: options.maxRequests,
    placesPerCaller: options.maxReceiverRequests,
    waitingPerCaller: waitingPerReceiver,
    maxWaitMs: options.maxWaitMs,
  });

  const sendAgainWhenStale = async (pool: Pool, request: PoolRequest): Promise<OutgoingAnswer> => {
    try {
      return await exchangeOnPool(pool, request, options);
    } catch (error) {
      if (!isStale(error)) throw error;
      return exchangeOnPool(pool, request, options);
    }
  };

  return async (request) => {
    const { origin, path } = targets(request.url);
    const exchange = () =>
      pools.use(origin, (pool) => sendAgainWhenStale(pool, { ...request, path, body: request.body ?? null }));
    return places.run(origin, exchange, request.signal);
  };
};
