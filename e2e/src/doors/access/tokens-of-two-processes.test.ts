import { randomBytes } from 'node:crypto';
import { createBrowser, eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdaptor, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { embeddedDatabaseUrl } from '../../harness/embedded-database.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { startService } from '../../harness/service.js';
import { doorOf, signInDoors, type Doors } from '../open-doors.js';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

describe('two processes on one database', () => {
  const leftovers = createLeftovers();
  let doors: Doors;
  /** Addresses of both. */
  let bases: readonly [string, string];

  beforeAll(async () => {
    const common = { FDS_SECRET_KEY: randomBytes(32).toString('base64') };
    const one = await startService(leftovers, common);
    const settings = { FDS_DATABASE_URL: embeddedDatabaseUrl(one.dataDir), FDS_BASE_URL: one.baseUrl };
    const two = await startService(leftovers, { ...common, ...settings });
    doors = await signInDoors(one);
    bases = [one.baseUrl, two.baseUrl];
  }, 180_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const baseOf = (process: number): string => bases[process % 2] ?? '';
  const post = async (process: number, form: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${baseOf(process)}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
    return { status: answer.status, body: (await answer.json()) as Partial<Tokens> };
  };
  const refresh = (process: number, token: string | undefined) =>
    post(process, { grant_type: 'refresh_token', client_id: 'fds-web', refresh_token: token ?? '' });
  /** Both processes refuse the token. */
  const expectEnded = (token: string | undefined): Promise<void> =>
    eventually(async () => {
      const answers = bases.map((baseUrl) => doorOf({ baseUrl }, token).rest('GET', '/token'));
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401]);
    });
  const signIn = async (username: string, password: string): Promise<Tokens> => {
    const browser = createBrowser();
    const page = await browser.visit(`${bases[0]}/openid/login`);
    return JSON.parse((await browser.submit(page, { username, password })).text) as Tokens;
  };

  it('exchange a refresh token once, and end the sign-in that uses it again', async () => {
    const password = 'correct horse';
    const person = { username: 'ann', password };
    requireStatus(await doors.admin.rest('POST', `/zones/${doors.root}/users`, person), 201);
    const first = await signIn('ann', password);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, process) => refresh(process, first.refresh_token)),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body } of given) {
      await expectEnded(body.access_token);
      for (const process of [0, 1]) expect((await refresh(process, body.refresh_token)).status).toBe(400);
    }
    await expectEnded(first.access_token);
  });

  it('end all tokens of a password that the other process changes at the same time', async () => {
    const password = 'correct horse';
    const users = `/zones/${doors.root}/users`;
    const user = requireStatus(await doors.admin.rest('POST', users, { username: 'bob', password }), 201).body;
    const first = await signIn('bob', password);
    const change = doorOf({ baseUrl: baseOf(1) }, doors.admin.token).rest('PATCH', `${users}/${user.uuid}`, {
      password: 'another horse',
      changeVersion: user.changeVersion,
    });
    const [changed, renewed] = await Promise.all([change, refresh(0, first.refresh_token)]);
    requireStatus(changed, 200);
    await expectEnded(first.access_token);
    if (renewed.status === 200) await expectEnded(renewed.body.access_token);
    for (const token of [first.refresh_token, renewed.body.refresh_token]) {
      for (const process of [0, 1]) expect((await refresh(process, token)).status).toBe(400);
    }
  });

  it('keep the current and the previous secret of an adaptor when both issue new ones', async () => {
    const adaptor = await createAdaptor(doors.dgs, doors.root, { name: 'rotated', capabilities: [] });
    const before = await getToken({ baseUrl: baseOf(0), username: adaptor.clientId, password: adaptor.clientSecret });
    const path = `/zones/${doors.root}/adaptors/${adaptor.uuid}/registration`;
    const reissue = async (process: number): Promise<string> => {
      const door = doorOf({ baseUrl: baseOf(process) }, doors.dgs.token);
      const { body } = requireStatus(await door.rest<{ readonly clientSecret: string }>('POST', path), 201);
      return body.clientSecret;
    };
    const secrets = await Promise.all([0, 1, 2, 3].map(reissue));
    await expectEnded(before);
    const good: string[] = [];
    for (const secret of secrets) {
      const form = { grant_type: 'client_credentials', client_id: adaptor.clientId, client_secret: secret };
      if ((await post(0, form)).status === 200) good.push(secret);
    }
    expect(good).toHaveLength(2);
    const { body: present } = await doors.dgs.rest<{ readonly clientSecret: string }>('GET', path);
    expect(good).toContain(present.clientSecret);
  });
});
