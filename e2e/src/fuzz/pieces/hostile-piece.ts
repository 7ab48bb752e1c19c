import { request } from 'undici';
import type { FuzzStage } from '../open-fuzz-stage.js';

/** Input that is large, or expensive for its size, and the door that takes it. */
export interface HostilePiece {
  readonly door: string;
  readonly input: string;
  /** Sends the input and waits until the service has handled it. */
  send(stage: FuzzStage): Promise<void>;
}

/** A request that the contract of answers is not checked for, because the check would take longer than the answer. */
export interface LargeRequest {
  readonly url: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws Error when the service fails */
export const ask = async ({ url, method = 'POST', type = 'application/json', body, headers }: LargeRequest) => {
  const answer = await request(url, {
    method: method as 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    body: body ?? null,
    headersTimeout: 60_000,
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 500) throw new Error(`${answer.statusCode} ${text.slice(0, 500)}`);
  return { status: answer.statusCode, text };
};

/** So many elements as fit into a text of the size, with commas between them. */
export const fill = (bytes: number, element: (index: number) => string): string => {
  const parts: string[] = [];
  for (let size = 0; ;) {
    const next = element(parts.length);
    size += next.length + 1;
    if (size > bytes) return parts.join(',');
    parts.push(next);
  }
};
