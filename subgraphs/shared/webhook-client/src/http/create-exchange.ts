import type { Readable } from 'node:stream';
import { createFairQueue } from '@fds/service';
import { errors, type Dispatcher, type Pool } from 'undici';
import { RefusedTarget } from '../target/refused-target.js';
import { targetFault, type TargetRule } from '../target/target-fault.js';
import type { ReceiverPools } from './create-receiver-pools.js';
import { codeOf } from './error-code.js';

interface OutgoingRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Keep the body of the answer; otherwise it is discarded, so that the connection can be used again. */
  readonly wantsBody: boolean;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One guarded HTTP exchange. Redirects are answers like any other. @throws Error, RefusedTarget, QueueFull */
export type Exchange = (request: OutgoingRequest) => Promise<OutgoingAnswer>;

export interface ExchangeOptions {
  readonly rule: TargetRule;
  readonly pools: ReceiverPools;
  /** Requests that run at once, in total and for one receiver. */
  readonly maxRequests: number;
  readonly maxReceiverRequests: number;
  readonly maxAnswerBytes: number;
  /** Time to read the rest of an answer that is not needed. */
  readonly drainMs: number;
  /** Longest wait for a place. */
  readonly maxWaitMs: number;
}

const waitingPerReceiver = 1000;

/** Did the receiver close a kept-alive connection at the moment of sending? Receivers know a repeated message by its id. */
const isStale = (error: unknown): boolean =>
  error instanceof errors.SocketError
    ? (error.socket?.bytesRead ?? 0) > 0
    : ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

const plainHeaders = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first]];
    }),
  );

/** Reads at most so many bytes. @throws Error when there are more */
const readText = async (body: Readable, maxBytes: number): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new Error('the answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

/** Discards the rest of an answer. An answer that is too long or too slow ends its connection. Never rejects. */
const drain = (body: Readable, maxBytes: number, drainMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => body.destroy(), drainMs);
    let bytes = 0;
    body.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > maxBytes) body.destroy();
    });
    // the status is known, and nothing else is needed
    body.on('error', () => undefined);
    body.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });

export const createExchange = (options: ExchangeOptions): Exchange => {
  const { rule, pools, maxAnswerBytes, drainMs } = options;
  const places = createFairQueue({
    places: options.maxRequests,
    placesPerCaller: options.maxReceiverRequests,
    waitingPerCaller: waitingPerReceiver,
    maxWaitMs: options.maxWaitMs,
  });

  const send = async (pool: Pool, url: URL, request: OutgoingRequest): Promise<OutgoingAnswer> => {
    const { method, headers, signal } = request;
    const {
      statusCode,
      headers: received,
      body,
    } = await pool.request({
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      body: request.body ?? null,
      signal,
      // the caller's signal ends the exchange
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const answer = { status: statusCode, headers: plainHeaders(received) };
    if (request.wantsBody) return { ...answer, body: await readText(body, maxAnswerBytes) };
    await drain(body, maxAnswerBytes, drainMs);
    return { ...answer, body: '' };
  };

  const sendAgainWhenStale = async (pool: Pool, url: URL, request: OutgoingRequest): Promise<OutgoingAnswer> => {
    try {
      return await send(pool, url, request);
    } catch (error) {
      if (!isStale(error)) throw error;
      return send(pool, url, request);
    }
  };

  return async (request) => {
    const fault = targetFault(request.url, rule);
    if (fault !== undefined) throw new RefusedTarget(`the address ${fault}`);
    const url = new URL(request.url);
    const exchange = () => pools.use(url.origin, (pool) => sendAgainWhenStale(pool, url, request));
    return places.run(url.origin, exchange, request.signal);
  };
};
