import { validRecord, type FuzzStage } from '../open-fuzz-stage.js';
import { ask, fill, type HostilePiece } from './hostile-piece.js';

/** Most bytes of a body. */
const bodyBytes = 1_000_000;

type Body = (stage: FuzzStage, bytes: number) => string;

const piece = (
  door: string,
  input: string,
  to: (stage: FuzzStage) => { readonly method?: string; readonly path: string; readonly token: string | undefined },
  body: Body,
): HostilePiece => ({
  door,
  input,
  send: async (stage) => {
    const { path, token, method } = to(stage);
    await ask({
      url: `${stage.doors.service.baseUrl}${path}`,
      ...(method === undefined ? {} : { method }),
      body: body(stage, bodyBytes),
      headers: { authorization: `Bearer ${token ?? ''}` },
    });
  },
});

const text = (bytes: number, unit = 'x'): string => JSON.stringify(unit.repeat(Math.floor(bytes / unit.length)));

const record = (json: string): string => `{"name":"store","json":${json}}`;
const validMembers = JSON.stringify(validRecord).slice(0, -1);

const records: readonly (readonly [input: string, body: (bytes: number) => string])[] = [
  ['a list of items with wrong values', (bytes) => `${validMembers},"list":[${fill(bytes, () => '{"text":1}')}]}`],
  ['a list of items that are not objects', (bytes) => `${validMembers},"list":[${fill(bytes, () => '1')}]}`],
  ['a list of valid items', (bytes) => `${validMembers},"list":[${fill(bytes, () => '{"text":""}')}]}`],
  ['a list of items with unknown members', (bytes) => `${validMembers},"list":[${fill(bytes, (n) => `{"t${n}":1}`)}]}`],
  ['unknown members', (bytes) => `${validMembers},${fill(bytes, (n) => `"m${n}":1`)}}`],
  ['members of one name', (bytes) => `${validMembers},${fill(bytes, () => `"id":1`)}}`],
  ['a long text', (bytes) => `${validMembers},"code":${text(bytes)}}`],
  ['a long key', (bytes) => `${validMembers},"id":${text(bytes)}}`],
  ['a text of escapes', (bytes) => `${validMembers},"id":"${'\\\\'.repeat(bytes / 2)}"}`],
  ['a text of surrogate pairs', (bytes) => `${validMembers},"id":${text(bytes, '😀')}}`],
  ['one long number', (bytes) => `${validMembers},"count":${'9'.repeat(bytes)}}`],
  ['many long numbers', (bytes) => `${validMembers},"count":[${fill(bytes, () => '12345678901234567')}]}`],
  ['a list of lists', (bytes) => `${validMembers},"inner":[${fill(bytes, () => '[]')}]}`],
  ['nested lists', () => `${validMembers},"inner":${'['.repeat(900)}${']'.repeat(900)}}`],
  ['an object where a text belongs', (bytes) => `${validMembers},"id":{${fill(bytes, (n) => `"m${n}":{}`)}}}`],
];

const withoutEnd: readonly (readonly [input: string, body: (bytes: number) => string])[] = [
  ['JSON that does not end', (bytes) => `[${fill(bytes, () => '[1]')}`],
  ['a text that does not end', (bytes) => `["${'\\"'.repeat(bytes / 2)}`],
  ['long numbers that do not end', (bytes) => `[${fill(bytes, () => '12345678901234567')}`],
];

const uuid = (index: number): string => `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** Bodies of many values for other resources, by the path that takes them. */
const resources: readonly (readonly [
  method: string,
  path: string,
  holder: 'dgs' | 'admin',
  input: string,
  body: (stage: FuzzStage, bytes: number) => string,
])[] = [
  ['POST', '/zones', 'admin', 'a long name', (_, bytes) => `{"name":${text(bytes)}}`],
  [
    'POST',
    '/zones',
    'admin',
    'many uuids',
    (_, bytes) => `{"name":"x","adminUserUuids":[${fill(bytes, (n) => `"${uuid(n)}"`)}]}`,
  ],
  ['POST', '/zones', 'admin', 'wrong uuids', (_, bytes) => `{"name":"x","adminUserUuids":[${fill(bytes, () => `1`)}]}`],
  ['POST', '/zones', 'admin', 'unknown members', (_, bytes) => `{"name":"x",${fill(bytes, (n) => `"m${n}":1`)}}`],
  [
    'POST',
    '/zones/{z}/adaptors',
    'dgs',
    'wide metadata',
    (_, bytes) => `{"name":"wide","capabilities":[],"metadata":{${fill(bytes, (n) => `"m${n}":1`)}}}`,
  ],
  [
    'POST',
    '/zones/{z}/adaptors',
    'dgs',
    'many capabilities',
    (_, bytes) =>
      `{"name":"many","capabilities":[${fill(bytes, (n) => `{"domainName":"d${n}","versionNumber":1,"action":"GET"}`)}]}`,
  ],
  [
    'POST',
    '/zones/{z}/adaptors',
    'dgs',
    'wrong capabilities',
    (_, bytes) => `{"name":"many","capabilities":[${fill(bytes, () => '{}')}]}`,
  ],
  [
    'POST',
    '/zones/{z}/adaptors',
    'dgs',
    'capabilities that are not objects',
    (_, bytes) => `{"name":"many","capabilities":[${fill(bytes, () => '1')}]}`,
  ],
  [
    'POST',
    '/zones/{z}/inbound-acls',
    'dgs',
    'many entries',
    (_, bytes) => `[${fill(bytes, (n) => `{"name":"e${n}","get":"DENY"}`)}]`,
  ],
  ['POST', '/zones/{z}/inbound-acls', 'dgs', 'wrong entries', (_, bytes) => `[${fill(bytes, () => `{"get":1}`)}]`],
  [
    'POST',
    '/zones/{z}/inbound-acls',
    'dgs',
    'many properties',
    (_, bytes) => `{"name":"p","properties":[${fill(bytes, (n) => `"p${n}"`)}]}`,
  ],
  [
    'POST',
    '/zones/{z}/inbound-acls',
    'dgs',
    'many records',
    (_, bytes) => `{"name":"p","drUuids":[${fill(bytes, (n) => `"${uuid(n)}"`)}]}`,
  ],
  [
    'POST',
    '/zones/{z}/roles',
    'admin',
    'many permissions',
    (_, bytes) => `{"name":"r","permissions":[${fill(bytes, (n) => `{"action":"GET","resource":"/zones/${n}"}`)}]}`,
  ],
  [
    'POST',
    '/zones/{z}/roles',
    'admin',
    'patterns of permissions',
    (_, bytes) =>
      `{"name":"r","permissions":[${fill(bytes, (n) => `{"action":"ALL","resource":"/*/${n}/*/?/*/${n}/*"}`)}]}`,
  ],
  [
    'POST',
    '/zones/{z}/roles',
    'admin',
    'a long pattern',
    (_, bytes) => `{"name":"r","permissions":[{"action":"ALL","resource":"${'/?'.repeat(bytes / 2)}"}]}`,
  ],
  [
    'POST',
    '/zones/{z}/roles',
    'admin',
    'wrong permissions',
    (_, bytes) => `{"name":"r","permissions":[${fill(bytes, () => `{"action":"X","resource":"*x"}`)}]}`,
  ],
  [
    'POST',
    '/zones/{z}/users',
    'admin',
    'a long name and password',
    (_, bytes) => `{"username":${text(bytes / 2)},"password":${text(bytes / 2)}}`,
  ],
  [
    'POST',
    '/zones/{z}/acls/dry-run',
    'dgs',
    'JSON in a text',
    ({ store: { domainVersionUuid } }, bytes) =>
      JSON.stringify({ action: 'POST', domainVersionUuid, jsonData: `{${fill(bytes * 0.7, (n) => `"m${n}":1`)}}` }),
  ],
  [
    'POST',
    '/operational-acls/check',
    'dgs',
    'many properties',
    (_, bytes) => `{"name":"x","properties":[${fill(bytes, (n) => `"p${n}"`)}]}`,
  ],
  [
    'PUT',
    '/notifications',
    'dgs',
    'many events',
    (_, bytes) =>
      `{"callbackType":"WEB_HOOK","callback":"https://example.org/","events":[${fill(bytes, (n) => `{"resource":"/zones/*/${n}/*","actions":["ALL"]}`)}]}`,
  ],
  [
    'PUT',
    '/notifications',
    'dgs',
    'events just below the bound',
    () =>
      `{"callbackType":"WEB_HOOK","callback":"https://example.org/","events":[${fill(65_000, (n) => `{"resource":"/*/${n}/?/*","actions":["ALL"]}`)}]}`,
  ],
  [
    'PUT',
    '/notifications',
    'dgs',
    'many headers',
    (_, bytes) =>
      `{"callbackType":"WEB_HOOK","callback":"https://example.org/","events":[],"httpHeaders":[${fill(bytes, (n) => `{"name":"x${n}","value":"v"}`)}]}`,
  ],
  [
    'PUT',
    '/notifications',
    'dgs',
    'a long address',
    (_, bytes) => `{"callbackType":"WEB_HOOK","callback":"https://${'a.'.repeat(bytes / 2)}","events":[]}`,
  ],
  [
    'POST',
    '/zones/{z}/issues/settle',
    'dgs',
    'many issues',
    (_, bytes) => `{"preview":true,"issueUuids":[${fill(bytes, (n) => `"${uuid(n)}"`)}]}`,
  ],
];

/** JSON bodies of REST. */
export const jsonPieces: readonly HostilePiece[] = [
  ...records.map(([input, body]) =>
    piece(
      'POST /drs',
      input,
      ({ doors }) => ({ path: '/api/drs', token: doors.dgs.token }),
      (_, bytes) => record(body(bytes - 1_000)),
    ),
  ),
  ...withoutEnd.map(([input, body]) =>
    piece(
      'POST /drs',
      input,
      ({ doors }) => ({ path: '/api/drs', token: doors.dgs.token }),
      (_, bytes) => body(bytes),
    ),
  ),
  ...resources.map(([method, path, holder, input, body]) =>
    piece(
      `${method} ${path}`,
      input,
      ({ doors }) => ({ method, path: `/api${path.replace('{z}', doors.root)}`, token: doors[holder].token }),
      (stage, bytes) => body(stage, bytes - 1_000),
    ),
  ),
];
