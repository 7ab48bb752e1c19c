import { stringify } from 'lossless-json';
import { exchange, type RawAnswer, type Sent } from '../../harness/exchange.js';
import type { FuzzCase } from '../fuzz-target.js';

/** A request of a fuzz case. */
export interface FuzzRequest {
  readonly url: string;
  readonly sent: Sent;
}

const shownLength = 2_000;

/** Text that shows a request, cut to a length that a terminal can show. */
const describe = ({ url, sent: { method = 'GET', json, text, headers } }: FuzzRequest): string => {
  const body = json === undefined ? text : stringify(json);
  const shown =
    body === undefined
      ? ''
      : ` ${body instanceof Uint8Array ? Buffer.from(body).toString('hex') : JSON.stringify(body)}`;
  return `${method} ${url} ${JSON.stringify(headers ?? {})}${shown}`.slice(0, shownLength);
};

/**
 * A case that sends one HTTP request. The status of the answer must be below 500. Below `/api`, the OpenAPI document
 * must also allow the answer.
 *
 * @param judge checks the answer further. @throws Error that describes a fault
 */
export const askHttp = (request: FuzzRequest, judge?: (answer: RawAnswer) => void): FuzzCase => ({
  label: describe(request),
  ask: async () => {
    const answer = await exchange(request.url, request.sent);
    if (answer.status >= 500) throw new Error(`${answer.status} ${answer.text.slice(0, shownLength)}`);
    judge?.(answer);
  },
});
