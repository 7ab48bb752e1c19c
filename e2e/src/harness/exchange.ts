import { parse, stringify } from 'lossless-json';
import { request } from 'undici';
import { holdToContract } from './contract/hold-to-contract.js';

/** Numbers as a client needs them: exact, bigint beyond 2^53. */
const exactNumber = (text: string): number | bigint => {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
};

/** What a client sends. */
export interface Sent {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON; bigint and number digit by digit. */
  readonly json?: unknown;
  /** Body, sent as it stands; instead of `json`. */
  readonly text?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** An answer over HTTP. `body` is parsed JSON, or text where it is none. */
export interface Answer<Body = Record<string, never>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

/** An answer together with the very characters of its body. */
export interface RawAnswer<Body = unknown> extends Answer<Body> {
  readonly text: string;
}

/**
 * Sends one HTTP request, and follows no redirect. An answer from below `/api` is held to the server's OpenAPI document.
 *
 * @throws Error when the answer is not as the document says
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
    // undici takes iterables too
    ...(payload === undefined ? {} : { body: payload as string }),
  });
  const text = await answer.body.text();
  const { statusCode: status, headers: received } = answer;
  await holdToContract({ method, url: new URL(url), headers, body: payload }, { status, headers: received, text });
  const isJson = text !== '' && /[/+]json/.test(String(received['content-type'] ?? ''));
  return { status, headers: received, text, body: (isJson ? parse(text, null, exactNumber) : text) as Body };
};
