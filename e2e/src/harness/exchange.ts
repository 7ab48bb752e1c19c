import { parse, stringify } from 'lossless-json';
import { request } from 'undici';
import { holdToContract } from './contract/hold-to-contract.js';

/** Parses numbers exactly: a number beyond 2^53 becomes a bigint. */
const exactNumber = (text: string): number | bigint => {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
};

/** The request of a client. */
export interface Sent {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON; a bigint keeps all its digits. */
  readonly json?: unknown;
  /** Body, sent unchanged, instead of `json`. */
  readonly text?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** An answer over HTTP. `body` is parsed JSON, or text if it is not JSON. */
export interface Answer<Body = Record<string, never>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

/** An answer with the exact text of its body. */
export interface RawAnswer<Body = unknown> extends Answer<Body> {
  readonly text: string;
}

/**
 * Sends one HTTP request and follows no redirect. An answer from below `/api` is validated against the server's OpenAPI
 * document.
 *
 * @throws Error when the document does not allow the answer
 */
export const exchange = async <Body = unknown>(url: string, sent: Sent = {}): Promise<RawAnswer<Body>> => {
  const { method = 'GET', token, json } = sent;
  const payload = json === undefined ? sent.text : (stringify(json) as string);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...sent.headers,
  };
  const answer = await request(url, {
    method: method as 'GET',
    headers,
    // undici also accepts iterables
    ...(payload === undefined ? {} : { body: payload as string }),
  });
  const text = await answer.body.text();
  const { statusCode: status, headers: received } = answer;
  await holdToContract({ method, url: new URL(url), headers, body: payload }, { status, headers: received, text });
  const isJson = text !== '' && /[/+]json/.test(String(received['content-type'] ?? ''));
  return { status, headers: received, text, body: (isJson ? parse(text, null, exactNumber) : text) as Body };
};
