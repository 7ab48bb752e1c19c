import type { Exchange } from '../http/create-exchange.js';

/** `fetch` for libraries, by the guarded exchange: permitted addresses only, bounded answers, no redirects. */
export const createGuardedFetch =
  (exchange: Exchange): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const answer = await exchange({
      url: request.url,
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(request.headers),
      body: request.body === null ? undefined : await request.text(),
      signal: init?.signal ?? undefined,
      wantsBody: true,
    });
    const hasBody = ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? answer.body : null, { status: answer.status, headers: answer.headers });
  };
