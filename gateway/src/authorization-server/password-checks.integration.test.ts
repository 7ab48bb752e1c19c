import { type CheckQueue, createCheckQueue } from '@fds/identity';
import { hashSecret } from '@fds/auth';
import { randomUUID as newUuid } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLogin, type OpenedLogin } from '../testing/open-login.js';

const secret = 'the secret of an honest account';
const honest = Array.from({ length: 16 }, (_, index) => `honest-${index}`);

let login: OpenedLogin;
/** Passwords that were hashed so far, and attempts that waited for their turn to hash and let it pass. */
const counts = { hashed: 0, passed: 0 };

/** The queue of the service, counted. */
const countedQueue = (): CheckQueue => {
  const queue = createCheckQueue({ maxRunning: 2, maxWaiting: 256, maxWaitingOfAddress: 64 });
  return {
    run: (address, check) =>
      queue.run(address, () => {
        counts.hashed += 1;
        return check();
      }),
    passBy: async (address) => {
      await queue.passBy(address);
      counts.passed += 1;
    },
  };
};

beforeAll(async () => {
  login = await openLogin({}, countedQueue());
  for (const username of honest) {
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
): Promise<{ readonly status: number; readonly retryAfter: unknown }> => {
  const answer = await fetch(`${login.baseUrl}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: { authorization: `Basic ${Buffer.from(`${client}:${password}`).toString('base64')}` },
  });
  await answer.arrayBuffer();
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
};

/** The first sign-in of an account: its secret is not remembered. */
const signIn = async (username: string): Promise<{ readonly status: number; readonly hashed: number }> => {
  const before = counts.hashed;
  const { status } = await ask(username, secret);
  return { status, hashed: counts.hashed - before };
};

describe('while 200 token requests for unknown clients run', () => {
  it('honest accounts get their first tokens without waiting for another hash, and also afterwards', async () => {
    const flood = Array.from({ length: 200 }, (_, index) => ask(`unknown-${index}`, 'guess'));
    const signIns = [];
    for (const username of honest.slice(0, 6)) signIns.push(await signIn(username));
    const answers = await Promise.all(flood);
    for (const username of honest.slice(6, 8)) signIns.push(await signIn(username));

    // between the request and the answer of an honest account, only its own secret is hashed
    expect(signIns).toEqual(signIns.map(() => ({ status: 200, hashed: 1 })));
    expect(counts.hashed).toBe(signIns.length);
    expect(counts.passed).toBeGreaterThan(0);
    for (const { status, retryAfter } of answers)
      expect(status === 401 || (status === 429 && Number(retryAfter) > 0)).toBe(true);
  }, 120_000);
});

describe('a failure', () => {
  // the failures of the flood are forgotten
  beforeAll(() => login.advance(24 * 3_600_000));

  it('takes the same time for a known and an unknown account', async () => {
    const durationOf = async (client: string): Promise<number> => {
      const started = performance.now();
      expect((await ask(client, 'wrong')).status).toBe(401);
      return performance.now() - started;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    for (const username of honest.slice(8)) {
      known.push(await durationOf(username));
      unknown.push(await durationOf(`nobody-${newUuid()}`));
    }
    // If a failure were answered at once, each known account would take a hash longer than each unknown one. The order
    // does not depend on the load of the machine, because the attempts alternate.
    expect(Math.min(...known)).toBeLessThan(Math.max(...unknown));
    expect(Math.min(...unknown)).toBeLessThan(Math.max(...known));
  }, 120_000);
});
