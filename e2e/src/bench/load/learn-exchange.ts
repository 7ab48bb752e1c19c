import { request } from 'undici';
import type { ExpectedExchange } from './load-order.js';

/**
 * Sends a request once and checks its answer, which is then the expected answer.
 *
 * @param check throws when the answer is wrong
 */
export const learnExchange = async (
  origin: string,
  exchange: Omit<ExpectedExchange, 'expected'>,
  check: (body: unknown) => void,
): Promise<ExpectedExchange> => {
  const { method, path, headers, body } = exchange;
  const answer = await request(`${origin}${path}`, { method, headers, body: body ?? null });
  const expected = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} answers ${answer.statusCode}: ${expected}`);
  check(JSON.parse(expected));
  return { ...exchange, expected };
};
