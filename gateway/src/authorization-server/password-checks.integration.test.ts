import { hashSecret } from '@fds/auth';
import { randomUUID as newUuid } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLogin, type OpenedLogin } from '../testing/open-login.js';

let login: OpenedLogin;
let unused: string[] = [];
const secret = 'the secret of an honest account';

beforeAll(async () => {
  login = await openLogin();
  unused = Array.from({ length: 40 }, (_, index) => `honest-${index}`);
  for (const username of unused) {
    // a hash that was checked before is remembered, so every account has its own
    const secretHash = await hashSecret(secret);
    await login.database.prisma.person.create({
      data: { uuid: newUuid(), username, secretHash, serviceAccount: true },
    });
  }
}, 120_000);
afterAll(() => login?.close());

const ask = async (
  client: string,
  password: string,
): Promise<{ status: number; tookMs: number; retryAfter: unknown }> => {
  const started = performance.now();
  const answer = await fetch(`${login.baseUrl}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: { authorization: `Basic ${Buffer.from(`${client}:${password}`).toString('base64')}` },
  });
  await answer.arrayBuffer();
  return {
    status: answer.status,
    tookMs: performance.now() - started,
    retryAfter: answer.headers.get('retry-after'),
  };
};

/** The first sign-in of an account: its secret is not remembered. */
const firstSignIn = () => ask(unused.shift() ?? '', secret);
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const times = (answers: readonly { readonly tookMs: number }[]): number[] => answers.map(({ tookMs }) => tookMs);

describe('while 300 token requests for unknown clients run', () => {
  it('honest accounts get their first tokens soon, and also afterwards', async () => {
    const idle = [];
    for (let time = 0; time < 5; time += 1) idle.push(await firstSignIn());
    const flood = Array.from({ length: 300 }, (_, index) => ask(`unknown-${index}`, 'guess'));
    const during = [];
    for (let time = 0; time < 10; time += 1) during.push(await firstSignIn());
    const answers = await Promise.all(flood);
    const after = [];
    for (let time = 0; time < 5; time += 1) after.push(await firstSignIn());

    const longest = Math.max(...times(during));
    if (process.env['FDS_PRINT_FIGURES'] === 'true') {
      const [before, amid] = [median(times(idle)), median(times(during))].map((ms) => ms.toFixed(0));
      process.stdout.write(`idle ${before} ms, during ${amid} ms, longest ${longest.toFixed(0)} ms\n`);
    }
    expect([...during, ...after].map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
    // the first one waits until the 300 requests are read, but none waits for their 300 hashes, which would take 300
    // times as long on one core
    expect(longest).toBeLessThan(50 * median(times(idle)));
    for (const { status, retryAfter } of answers)
      expect(status === 401 || (status === 429 && Number(retryAfter) > 0)).toBe(true);
  }, 120_000);
});

describe('a failure', () => {
  it('takes the same time for a known and an unknown account, also while other passwords are hashed', async () => {
    const measure = async (prefix: string): Promise<number[]> => {
      const took = [];
      for (let time = 0; time < 8; time += 1)
        took.push((await ask(prefix === 'unknown' ? `nobody-${time}-${newUuid()}` : `honest-${time}`, 'wrong')).tookMs);
      return took;
    };
    const [known, unknown] = [await measure('honest'), await measure('unknown')];
    // a step takes 250 ms and a hash about 50 ms, so without steps the ratio would be far from 1
    expect(median(known) / median(unknown)).toBeGreaterThan(0.8);
    expect(median(known) / median(unknown)).toBeLessThan(1.25);
  }, 120_000);
});
