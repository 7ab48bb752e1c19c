import { connect } from 'node:net';
import { once } from 'node:events';
import { createBrowser } from '@fds/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { printedSecrets } from '../../harness/printed-secrets.js';
import { startService, type Service } from '../../harness/service.js';

import { doorOf, signInDoors, type Doors } from '../open-doors.js';

const leftovers = createLeftovers();
const canary = (name: string): string => `canary-${name}-5dG2 pQ+x%9`;
const secrets: Record<string, string> = {
  'password of the settings': 'admin-password-of-the-journey',
  'wrong password': canary('wrong'),
  'client secret of the external provider': canary('oidc'),
  'wrong secret of an adaptor': 'canary-mqtt-secret',
  'token in a URL': canary('url'),
  'password in a broken body': canary('body'),
  'value of a record': canary('value'),
};

let service: Service;
let doors: Doors;
beforeAll(async () => {
  service = await startService(leftovers, { FDS_LOG_LEVEL: 'debug' });
  doors = await signInDoors(service);
}, 120_000);
afterAll(() => leftovers.dispose(), 120_000);

/** An MQTT CONNECT with user name and password. */
const connectPacket = (username: string, password: string): Buffer => {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  };
  const body = Buffer.concat([
    text('MQTT'),
    Buffer.from([4, 0xc2, 0, 30]),
    text(`fds-adaptor-${username}`),
    text(username),
    text(password),
  ]);
  return Buffer.concat([Buffer.from([0x10, body.length]), body]);
};

const form = { 'content-type': 'application/x-www-form-urlencoded' };

it('never prints a secret, after any failure', async () => {
  const { admin, dgs, root } = doors;
  const wrong = secrets['wrong password'] ?? '';
  const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
  const ask = (authorization: string, text = 'grant_type=client_credentials') =>
    doors.anyone.call('/oauth2/token', { method: 'POST', headers: { ...form, authorization }, text });

  secrets['token of admin'] = admin.token ?? '';
  expect((await ask(basic('admin', wrong))).status).toBe(401);
  expect((await ask(basic(wrong, wrong))).status).toBe(401);
  expect((await ask('Basic ***', `client_secret=${encodeURIComponent(wrong)}&client_id=admin`)).status).toBe(400);

  const browser = createBrowser();
  const page = await browser.visit(`${service.baseUrl}/openid/login`);
  const again = await browser.submit(page, { username: 'admin', password: wrong });
  expect(again.status).toBe(401);
  const done = await browser.submit(again, { username: 'admin', password: service.passwords.admin });
  const tokens = JSON.parse(done.text) as Record<string, string>;
  for (const name of ['access_token', 'refresh_token', 'id_token']) secrets[name] = tokens[name] ?? '';
  const refresh = { grant_type: 'refresh_token', client_id: 'fds-web', refresh_token: tokens['refresh_token'] ?? '' };
  for (const status of [200, 400]) {
    const text = new URLSearchParams(refresh).toString();
    expect((await doors.anyone.call('/oauth2/token', { method: 'POST', headers: form, text })).status).toBe(status);
  }
  await browser.visit(`${service.baseUrl}/openid/code?code=${encodeURIComponent(wrong)}&state=x`);

  const adaptor = requireStatus(
    await dgs.rest<CreatedAdaptor>('POST', `/zones/${root}/adaptors`, { name: 'canary' }),
    201,
  );
  const { clientId, clientSecret, uuid } = adaptor.body;
  secrets['secret of an adaptor'] = clientSecret;
  const issued = await dgs.rest<CreatedAdaptor>('POST', `/zones/${root}/adaptors/${uuid}/registration`);
  secrets['new secret of an adaptor'] = issued.body.clientSecret;
  expect((await ask(basic(clientId, 'canary-mqtt-secret'))).status).toBe(401);
  const socket = connect(Number(new URL(service.busUrl).port), '127.0.0.1');
  socket.write(connectPacket(clientId, 'canary-mqtt-secret'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect([answer[0], answer[3]]).toEqual([0x20, 4]);
  socket.destroy();

  const inUrl = encodeURIComponent(secrets['token in a URL'] ?? '');
  expect((await admin.call(`/api/zones?access_token=${inUrl}`)).status).toBe(400);
  expect((await admin.call(`/${inUrl}`)).status).toBe(404);
  const broken = `{"password":"${secrets['password in a broken body']}"`;
  const json = { 'content-type': 'application/json' };
  expect((await admin.call('/api/zones', { method: 'POST', headers: json, text: broken })).status).toBe(400);
  expect((await admin.call('/graphql', { method: 'POST', headers: json, text: broken })).status).toBe(400);
  const value = secrets['value of a record'];
  expect((await admin.rest('POST', '/zones', { name: 7, description: value })).status).toBe(400);
  await admin.graphql('query ($name: String) { zones(name: $name, nothing: true) { page { size } } }', { name: value });
  expect((await doorOf(service, `${admin.token ?? ''}x`).rest('GET', '/zones')).status).toBe(401);
  expect((await dgs.rest('POST', '/zones', { name: value })).status).toBe(403);

  expect(await service.stop()).toBe(0);
  const output = service.process().output();
  // the output contains the log of the requests, without the secrets
  expect(output).toContain('"msg":"request"');
  expect(printedSecrets(output, secrets)).toEqual([]);
}, 120_000);
