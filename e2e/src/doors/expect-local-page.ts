import { expect } from '@jest/globals';
import { requireStatus } from '../harness/catalogue.js';
import type { Door } from './open-doors.js';

const loaded = /<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)\s*=\s*["']([^"']+)["']/gi;
const addressesIn = (text: string): string[] => [...text.matchAll(loaded)].map(([, address = '']) => address);
const otherHost = /^(?:[a-z]+:)?\/\//i;

/**
 * Fails unless a page of the service, and everything that it loads, comes from the service itself.
 *
 * @param ownAddresses of other ports of the service, which the page may call
 */
export const expectLocalPage = async (
  door: Door,
  path: string,
  headers: Readonly<Record<string, string>>,
  ownAddresses: readonly string[] = [],
): Promise<string> => {
  let at = path;
  let answer = await door.call<string>(at, { headers });
  for (let hops = 0; hops < 3 && answer.status >= 300 && answer.status < 400; hops += 1) {
    const { pathname, search } = new URL(String(answer.headers['location']), `http://service${at}`);
    at = `${pathname}${search}`;
    answer = await door.call<string>(at, { headers });
  }
  requireStatus(answer, 200);
  expect(answer.headers['content-type']).toMatch(/^text\/html\b/);
  const policy = String(answer.headers['content-security-policy'] ?? '');
  expect(ownAddresses.reduce((text, own) => text.replaceAll(own, ''), policy)).not.toMatch(/https?:/);
  const addresses = addressesIn(answer.text).filter((address) => !address.startsWith('data:'));
  expect(addresses.filter((address) => otherHost.test(address))).toEqual([]);
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) {
    const { pathname, search } = new URL(address, `http://service${at}`);
    const asset = requireStatus(await door.call<string>(`${pathname}${search}`), 200);
    if (/\.(m?js)$/.test(pathname)) expect(asset.headers['content-type']).toMatch(/javascript/);
    if (pathname.endsWith('.css')) {
      expect(asset.headers['content-type']).toMatch(/css/);
      expect(asset.body).not.toMatch(/@import[^;]*https?:|url\(\s*["']?https?:/i);
    }
  }
  return answer.text;
};
