import { errors, type Dispatcher, type Pool } from 'undici';
import { AttemptTimedOut } from './attempt-timed-out.js';

export interface PoolRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The caller may leave. */
  readonly signal?: AbortSignal | undefined;
  /** When the exchange ends at the latest, on the clock of `performance.now()`. Undefined: the signal decides. */
  readonly endsAtMs?: number | undefined;
  /** Keep the body of the answer; otherwise it is discarded, so that the connection can be used again. */
  readonly wantsBody: boolean;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AnswerLimits {
  readonly maxAnswerBytes: number;
  /** Time to read the rest of an answer that is not needed. */
  readonly drainMs: number;
}

const plainHeaders = (headers: NodeJS.Dict<string | string[]>): Record<string, string> => {
  const plain: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) plain[name] = first;
  }
  return plain;
};

/** Ends a connection whose answer is not needed any further. */
const enough = (): Error => new errors.InformationalError('the answer is not read further');

const isComplete = (status: number, { 'content-length': length }: NodeJS.Dict<string | string[]>): boolean =>
  status === 204 || length === '0';

/**
 * One exchange on the connections of a receiver. It takes the answer without a stream, and needs no separate AbortSignal: both cost
 * more than the request itself. At most so many bytes of the body are kept or discarded. An answer that is not needed and that is too long
 * or too slow ends its connection.
 *
 * @throws Error of the connection, the signal's reason, AttemptTimedOut, or Error when a wanted body is too large
 */
export const exchangeOnPool = (
  pool: Pool,
  { path, method, headers, body, signal, endsAtMs, wantsBody }: PoolRequest,
  { maxAnswerBytes, drainMs }: AnswerLimits,
): Promise<OutgoingAnswer> =>
  new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Omit<OutgoingAnswer, 'body'> | undefined;
    let draining: NodeJS.Timeout | undefined;
    let ending: NodeJS.Timeout | undefined;
    let left: Error | undefined;
    const parts: Buffer[] = [];
    let bytes = 0;

    const finish = (): void => {
      clearTimeout(ending);
      clearTimeout(draining);
      signal?.removeEventListener('abort', leave);
    };
    const fail = (error: Error): void => {
      finish();
      reject(error);
    };
    const succeed = (): void => {
      finish();
      const text = parts.length === 0 ? '' : Buffer.concat(parts).toString('utf8');
      if (answer !== undefined) resolve({ ...answer, body: text });
    };
    /** Ends the exchange at once, also while it waits for its connection. */
    const end = (reason: Error): void => {
      left = reason;
      fail(reason);
      controller?.abort(reason);
    };
    const leave = (): void => end(signal?.reason as Error);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        if (left !== undefined) started.abort(left);
      },
      onResponseStart: (started, status, received) => {
        if (status < 200) return;
        answer = { status, headers: plainHeaders(received) };
        if (!wantsBody && !isComplete(status, received)) draining = setTimeout(() => started.abort(enough()), drainMs);
      },
      onResponseData: (started, part) => {
        bytes += part.length;
        if (bytes > maxAnswerBytes) started.abort(wantsBody ? new Error('the answer is too large') : enough());
        else if (wantsBody) parts.push(part);
      },
      onResponseEnd: succeed,
      onResponseError: (_, error) => {
        // without its body, the status of an answer is all that counts
        if (answer !== undefined && !wantsBody) succeed();
        else fail(error);
      },
    };

    if (signal?.aborted === true) {
      leave();
      return;
    }
    signal?.addEventListener('abort', leave, { once: true });
    if (endsAtMs !== undefined) {
      ending = setTimeout(() => end(new AttemptTimedOut()), Math.max(0, endsAtMs - performance.now()));
    }
    pool.dispatch({ path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
