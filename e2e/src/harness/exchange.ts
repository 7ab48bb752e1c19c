import { parse, stringify } from 'lossless-json';
import { request } from 'undici';

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
  readonly text?: string | Uint8Array;
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

/** Sends one HTTP request, and follows no redirect. */
export const exchange = async <Body = unknown>(url: string, sent: Sent = {}): Promise<RawAnswer<Body>> => {
  const { method = 'GET', token, headers = {}, json } = sent;
  const payload = json === undefined ? sent.text : (stringify(json) as string);
  const answer = await request(url, {
    method: method as 'GET',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = await answer.body.text();
  const isJson = text !== '' && String(answer.headers['content-type'] ?? '').includes('json');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    body: (isJson ? parse(text, null, exactNumber) : text) as Body,
  };
};
