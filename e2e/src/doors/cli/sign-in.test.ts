import { readFileSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createBrowser, eventually, type Browser } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { createPerson } from './create-person.js';
import { freePort } from '../../harness/free-port.js';
import { createFds, type Ended, type Fds } from '../../harness/run-fds.js';
import { shareDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

const { doors, leftovers } = shareDoors();

interface Kept {
  readonly contexts: Readonly<
    Record<string, { accessToken: string; refreshToken?: string; clientId: string; expiresAt: number }>
  >;
}

const credentialsOf = ({ home }: Fds): string => join(home, 'fds/credentials.json');
const keptOf = (fds: Fds): Kept => JSON.parse(readFileSync(credentialsOf(fds), 'utf8')) as Kept;
const onlySignIn = (fds: Fds): Kept['contexts'][string] => {
  const [signIn] = Object.values(keptOf(fds).contexts);
  if (signIn === undefined) throw new Error('no sign-in is kept');
  return signIn;
};

/** Makes the access token of a user look old, so that the next command renews it. */
const expire = (fds: Fds): void => {
  const kept = keptOf(fds);
  for (const signIn of Object.values(kept.contexts)) signIn.expiresAt = 0;
  writeFileSync(credentialsOf(fds), JSON.stringify(kept));
};

const signInAsClient = (fds: Fds, clientId: string, secret: string): Promise<Ended> =>
  fds.runWith(`${secret}\n`, 'login', '--url', doors.service.baseUrl, '--client-id', clientId, '--client-secret-stdin');

const signInByBrowser = async (fds: Fds, browser: Browser, username: string, password: string): Promise<Ended> => {
  const running = fds.start(['login', '--url', doors.service.baseUrl, '--no-browser']);
  const address = await eventually(() => {
    const [, found] = /Sign in at (\S+)/.exec(running.stderr()) ?? [];
    if (found === undefined) throw new Error(`no address yet: ${running.stderr()}`);
    return found;
  });
  const page = await browser.visit(address);
  expect(page.headers.get('content-security-policy')).toContain('http://127.0.0.1:*');
  let shown = await browser.submit(page, { username, password });
  // the provider asks before another person takes over the session of the browser
  if (shown.text.includes('/logout/confirm')) {
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(shown.text) ?? [];
    shown = await browser.submit(shown, { xsrf, logout: 'yes' });
  }
  expect([shown.status, shown.text]).toEqual([200, 'You are signed in. You can close this window.\n']);
  return running.ended();
};

/** Asks for new tokens, as a thief of the refresh token would. */
const refreshStatus = async (refreshToken: string | undefined): Promise<number> => {
  const form = { grant_type: 'refresh_token', client_id: 'fds-cli', refresh_token: refreshToken ?? '' };
  const body = new URLSearchParams(form);
  return (await fetch(`${doors.service.baseUrl}/oauth2/token`, { method: 'POST', body })).status;
};

describe('fds login by client credentials', () => {
  it('keeps the sign-in in a file of its user only, and whoami shows the holder', async () => {
    const fds = createFds(leftovers);
    expect(await signInAsClient(fds, 'dgs', doors.service.passwords.dgs)).toMatchObject({ status: 0, stdout: '' });
    expect(statSync(credentialsOf(fds)).mode & 0o777).toBe(0o600);
    const shown = await fds.run('whoami');
    expect(shown).toMatchObject({ status: 0, stderr: '' });
    expect(shown.stdout.split('\n')[0]).toBe(`dgs at ${doors.service.baseUrl}`);
    expect(shown.stdout).toContain('  Root: ');
    const json = JSON.parse((await fds.run('whoami', '--json')).stdout) as object;
    expect(json).toMatchObject({
      url: doors.service.baseUrl,
      username: 'dgs',
      // other test files create zones of this user
      zones: expect.arrayContaining([expect.objectContaining({ zoneName: 'Root' })]),
    });
  });

  it('gets a new token without the user', async () => {
    const fds = createFds(leftovers);
    await signInAsClient(fds, 'dgs', doors.service.passwords.dgs);
    const { accessToken } = onlySignIn(fds);
    expire(fds);
    expect((await fds.run('whoami')).status).toBe(0);
    expect(onlySignIn(fds).accessToken).not.toBe(accessToken);
  });

  it('exits with 3 when the secret is wrong, and with 1 when nothing answers, or another program', async () => {
    const fds = createFds(leftovers);
    const wrong = await signInAsClient(fds, uniqueName('nobody'), 'wrong');
    expect(wrong).toMatchObject({ status: 3, stdout: '' });
    expect(wrong.stderr).toMatch(/^fds: the sign-in was refused: .+\n$/);
    const login = (url: string): Promise<Ended> =>
      fds.runWith('x', 'login', '--url', url, '--client-id', 'dgs', '--client-secret-stdin');
    const absent = await login(`http://127.0.0.1:${await freePort()}`);
    expect(absent).toMatchObject({ status: 1, stdout: '' });
    expect(absent.stderr).toMatch(/^fds: http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED\n$/);
    expect(await login(`${doors.service.baseUrl}/elsewhere`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not the address of a Federated Data Service'),
    });
    expect(existsSync(credentialsOf(fds))).toBe(false);
  });

  it.each([
    [['login']],
    [['login', '--url', 'nonsense']],
    [['login', '--url', 'http://127.0.0.1:9', '--client-id', 'dgs']],
    [['login', '--url', 'http://127.0.0.1:9', '--client-secret-stdin']],
    [['login', '--url', 'http://127.0.0.1:9', '--client-id', 'a', '--client-secret', 'b', '--client-secret-stdin']],
    [['login', '--nonsense']],
    [['nonsense']],
    [[]],
    [['api', 'FETCH', '/zones']],
    [['api', 'GET', 'https://elsewhere.example/zones']],
    [['api', 'GET', '//elsewhere.example/zones']],
    [['api', 'POST', '/zones', '-d', '{']],
    [['graphql', 'no-such-file.graphql']],
    [['completion', 'tcsh']],
  ])('exits with 2 before any sign-in: fds %j', async (args) => {
    const ended = await createFds(leftovers).run(...args);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  it('exits with 3 without a sign-in', async () => {
    const fds = createFds(leftovers);
    for (const args of [['whoami'], ['api', 'GET', '/zones']])
      expect(await fds.run(...args)).toMatchObject({
        status: 3,
        stdout: '',
        stderr: 'fds: you are not signed in: run fds login --url <address>\n',
      });
    expect(await fds.run('logout')).toMatchObject({ status: 0 });
  });
});

describe('fds login by a browser', () => {
  const person = () => createPerson(doors, uniqueName('person'));

  it('signs a person in, and commands that renew at the same time use the refresh token once', async () => {
    const { username, password } = await person();
    const fds = createFds(leftovers);
    expect(await signInByBrowser(fds, createBrowser(), username, password)).toMatchObject({ status: 0, stdout: '' });
    expire(fds);
    const all = await Promise.all(['a', 'b', 'c'].map(() => fds.run('whoami')));
    expect(all.map(({ status, stdout }) => [status, stdout.split(' at ')[0]])).toEqual(
      Array.from({ length: 3 }, () => [0, username]),
    );
  });

  it('asks for the password although the browser is signed in, and signs no browser in', async () => {
    const { username, password } = await person();
    const browser = createBrowser();
    const web = `${doors.service.baseUrl}/openid/login`;
    await signInByBrowser(createFds(leftovers), browser, username, password);
    const page = await browser.visit(web);
    expect(page.text).toContain('name="password"');
    expect((await browser.submit(page, { username, password })).status).toBe(200);
    // the helper finds the form again
    await signInByBrowser(createFds(leftovers), browser, username, password);
    expect(JSON.parse((await browser.visit(web)).text)).toHaveProperty('access_token');
  });

  it('has a separate sign-in on each computer, regardless of other people in the same browser', async () => {
    const [ann, bob] = [await person(), await person()];
    const browser = createBrowser();
    const [first, second, third] = [createFds(leftovers), createFds(leftovers), createFds(leftovers)];
    await signInByBrowser(first, browser, ann.username, ann.password);
    await signInByBrowser(second, browser, ann.username, ann.password);
    await browser.submit(await browser.visit(`${doors.service.baseUrl}/openid/login`), { ...ann });
    await signInByBrowser(third, browser, bob.username, bob.password);
    const { refreshToken, accessToken } = onlySignIn(second);
    expect(await second.run('logout')).toMatchObject({ status: 0 });
    expect(await refreshStatus(refreshToken)).toBe(400);
    expect(
      (await fetch(`${doors.service.baseUrl}/api/token`, { headers: { authorization: `Bearer ${accessToken}` } }))
        .status,
    ).toBe(401);
    expect(keptOf(second).contexts).toEqual({});
    await browser.visit(`${doors.service.baseUrl}/openid/logout`);
    for (const fds of [first, third]) {
      expire(fds);
      expect(await fds.run('whoami')).toMatchObject({ status: 0 });
    }
  });

  it('keeps the sign-in when the service did not end it, unless the user wants it to be forgotten', async () => {
    const fds = createFds(leftovers);
    await signInAsClient(fds, 'dgs', doors.service.passwords.dgs);
    const kept = readFileSync(credentialsOf(fds), 'utf8');
    const gone = kept.replaceAll(doors.service.baseUrl, `http://127.0.0.1:${await freePort()}`);
    writeFileSync(credentialsOf(fds), gone);
    expect(await fds.run('logout')).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be reached') });
    expect(readFileSync(credentialsOf(fds), 'utf8')).toBe(gone);
    expect(await fds.run('logout', '--local')).toMatchObject({ status: 0 });
    expect(keptOf(fds).contexts).toEqual({});
  });
});

describe('the file of the sign-ins', () => {
  it('is not locked by a command that was killed', async () => {
    const fds = createFds(leftovers);
    await signInAsClient(fds, 'dgs', doors.service.passwords.dgs);
    // no process has an id of this size
    writeFileSync(`${credentialsOf(fds)}.lock`, '99999999');
    expect(await fds.run('logout')).toMatchObject({ status: 0 });
    expect(existsSync(`${credentialsOf(fds)}.lock`)).toBe(false);
  });

  it.each(['', '{', 'null', '[]', '{"contexts":{"a":{}}}'])(
    'with the content %j is a fault that names it',
    async (text) => {
      const fds = createFds(leftovers);
      await signInAsClient(fds, 'dgs', doors.service.passwords.dgs);
      writeFileSync(credentialsOf(fds), text);
      expect(await fds.run('whoami')).toEqual({
        status: 1,
        stdout: '',
        stderr: `fds: ${credentialsOf(fds)} has no sign-ins of fds: delete it, then run fds login\n`,
      });
    },
  );
});
