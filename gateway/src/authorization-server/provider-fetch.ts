import type { FastifyInstance } from 'fastify';

/** A request in the form of `openid-client`. */
interface ProviderRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Fetches from the provider. */
export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>;

/** @param openApp opens a server with the provider's routes that listens on no port; called at the first request */
export const createProviderFetch = (openApp: () => Promise<FastifyInstance>): ProviderFetch => {
  let opened: Promise<FastifyInstance> | undefined;
  return async (url, { method, headers, body }) => {
    const app = await (opened ??= openApp());
    const { pathname, search } = new URL(url);
    const payload = body instanceof URLSearchParams ? { payload: body.toString() } : {};
    const answer = await app.inject({
      method: method === 'GET' ? 'GET' : 'POST',
      url: `${pathname}${search}`,
      headers,
      ...payload,
    });
    return new Response(answer.body, {
      status: answer.statusCode,
      headers: { 'content-type': answer.headers['content-type'] ?? '' },
    });
  };
};
