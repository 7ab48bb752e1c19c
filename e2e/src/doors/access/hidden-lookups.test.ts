import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange, type RawAnswer } from '../../harness/exchange.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

interface CreatedUser extends Resource {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Values of hidden properties, and the same number of values that no record has. */
const right = { ssn: 'ZQ-4711-CANARY', salary: '97531' };
const wrong = { ssn: 'ZQ-0815-NOWHERE', salary: '24680' };
type Guess = typeof right;

/** A request whose answer must not depend on whether the guess is right. */
type Question = (guess: Guess) => Promise<RawAnswer>;

const text = { type: 'string' };
const uuids = new Map<string, string>();
const uuidOf = (name: string): string => uuids.get(name) ?? '';

/** The text of an answer without the guess and without members that always differ. */
const saidBy = ({ status, text: body }: RawAnswer, guess: Guess): string =>
  `${status} ${body}`
    .replaceAll(guess.ssn, '<ssn>')
    .replaceAll(encodeURIComponent(guess.ssn), '<ssn>')
    .replaceAll(guess.salary, '<salary>')
    .replaceAll(/"(requestId|uuid|dateCreated|lastUpdated|id)":("[^"]*"|\d+)/g, '"$1":<any>')
    .replaceAll(/\/drs\/[0-9a-f-]{36}/g, '/drs/<any>');

describe('a lookup by hidden properties', () => {
  const { doors, leftovers } = setUpDoors();
  let clerk: Door;
  let outsider: Door;
  let source: string;
  let destination: string;
  const versions = new Map<string, string>();

  const dryRun = (door: Door, domain: string, json: object, more: object = {}): Promise<RawAnswer> =>
    door.rest('POST', `/zones/${doors.root}/acls/dry-run`, {
      action: 'PUT',
      sourceAdaptorUuid: source,
      domainVersionUuid: versions.get(domain),
      jsonData: JSON.stringify(json),
      ...more,
    });
  const assemble = (door: Door, json: object): Promise<RawAnswer> =>
    exchange(`${doors.service.assemblyUrl}/request`, { method: 'POST', token: door.token ?? '', json });

  const addUser = async (
    username: string,
    grants: readonly (readonly [string, string])[],
    rules: readonly object[],
  ) => {
    const { admin, dgs, root, service } = doors;
    const user = requireStatus(
      await admin.rest<CreatedUser>('POST', `/zones/${root}/users`, { username, serviceAccount: true }),
      201,
    ).body;
    for (const [action, resource] of grants) {
      const door = resource.startsWith('/zones') ? admin : dgs;
      const grant = { type: 'ALLOW', action, resource, holderType: 'USER', holderUuid: user.uuid };
      const answers = [await door.rest('POST', `/zones/${root}/permissions`, grant)];
      if (answers[0]?.status === 403) answers.push(await dgs.rest('POST', `/zones/${root}/permissions`, grant));
      requireStatus(answers.at(-1) as { status: number; body: unknown }, 201);
    }
    if (rules.length > 0) {
      const role = requireStatus(
        await admin.rest('POST', `/zones/${root}/roles`, { name: `of ${username}` }),
        201,
      ).body;
      requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role.uuid}/users`, [user.uuid]), 201);
      requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role.uuid}/data-access-rules`, rules), 201);
    }
    const { clientId, clientSecret } = user;
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret }));
  };

  beforeAll(async () => {
    const { admin, dgs, root, service } = doors;
    const person = { id: text, ssn: text, name: text, salary: text };
    for (const [name, domainType, properties, key, matchingAlgorithm] of [
      ['staff', 'SERVICE_DATA_STORE', person, ['id', 'ssn'], undefined],
      ['badge', 'SERVICE_DATA_STORE', { id: text, holder: { $ref: '/domains/staff:v1' } }, ['id'], undefined],
      ['client', 'FEDERATED', person, ['id', 'ssn'], undefined],
      [
        'folk',
        'FEDERATED',
        person,
        ['id', 'ssn'],
        { type: 'RULES', rules: [{ all: [{ property: 'ssn', comparator: 'FUZZY' }] }] },
      ],
    ] as const) {
      const created = await createVersion(dgs, {
        name,
        domainType,
        properties,
        drKeyProperties: key,
        ...(matchingAlgorithm === undefined ? {} : { matchingAlgorithm }),
      });
      versions.set(name, created.domainVersionUuid);
      versions.set(`domain ${name}`, created.domainUuid);
    }
    const capabilities = ['staff', 'client', 'folk'].flatMap((name) => allActions(name));
    const from = await createAdaptor(dgs, root, { name: 'payroll', capabilities });
    const to = await createAdaptor(dgs, root, { name: 'directory', capabilities });
    [source, destination] = [from.uuid, to.uuid];
    await startSourceAdaptor(leftovers, service, to, {});
    const running = await startSourceAdaptor(leftovers, service, from, {});
    const ada = { id: 'a', ssn: right.ssn, name: 'Ada', salary: right.salary };
    const add = async (domain: string, json: object): Promise<string> =>
      requireStatus(await dgs.rest('POST', '/drs', { name: domain, json }), 201).body.uuid;
    uuids.set('ada', await add('staff', ada));
    uuids.set('secret', await add('staff', { ...ada, id: 'hidden' }));
    uuids.set('badge', await add('badge', { id: 'b', holder: { $ref: `/drs/${uuidOf('ada')}` } }));
    for (const domain of ['staff', 'client', 'folk']) {
      await running.publish({ action: 'POST', domain, version: 1, json: ada });
    }
    await eventually(async () => {
      for (const domain of ['client', 'folk']) {
        const { body } = await dgs.rest<{ drs: readonly Resource[] }>('GET', `/drs?filters=name:${domain}`);
        expect(new Set(body.drs.map((row) => row['adaptorUuid']))).toEqual(new Set([source, destination]));
        uuids.set(domain, body.drs[0]?.uuid ?? '');
      }
      const linked = await dgs.rest('GET', `/drs/${uuidOf('ada')}/adaptor/${source}/check`);
      expect(linked.status).toBe(200);
    });

    const dgsUser = requireStatus(
      await admin.rest<{ readonly users: readonly (Resource & { readonly username: string })[] }>(
        'GET',
        `/zones/${root}/users`,
      ),
      200,
    ).body.users.find(({ username }) => username === 'dgs');
    const grant = { type: 'ALLOW', action: 'POST', resource: `/zones/${root}/permissions`, holderType: 'USER' };
    requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, { ...grant, holderUuid: dgsUser?.uuid }), 201);
    const dryRuns = ['POST', `/zones/${root}/acls/dry-run`] as const;
    const hides = ['staff', 'client', 'folk'].map((name) => ({
      effect: 'DENY',
      actions: ['GET'],
      domainUuid: versions.get(`domain ${name}`),
      properties: ['ssn', 'salary'],
    }));
    const hidesOne = { effect: 'DENY', drUuids: [uuidOf('secret')] };
    const governs = ['outbound-acls', 'roles'].map((name) => ['ALL', `/zones/${root}/${name}/*`] as const);
    const grants = [dryRuns, ...governs, ['ALL', '/drs/*'], ['ALL', '/domains/*']] as const;
    clerk = await addUser('clerk', grants, [hidesOne, ...hides]);
    outsider = await addUser('outsider', [dryRuns], []);
  }, 180_000);

  const whole = (guess: Guess, more: object = {}) => ({ id: 'a', name: 'Ada', ...guess, ...more });
  const named = (door: () => Door, domain: string, record: string): readonly (readonly [string, Question])[] => [
    [`of ${domain} by key`, (guess) => dryRun(door(), domain, whole({ ...guess, salary: '1' }))],
    [`of ${domain} by key, deleted`, ({ ssn }) => dryRun(door(), domain, { id: 'a', ssn }, { action: 'DELETE' })],
    [
      `of ${domain} that is named, by a value`,
      async ({ salary }) => {
        const answer = await dryRun(door(), domain, whole({ ssn: right.ssn, salary }), { drUuid: uuidOf(record) });
        return { ...answer, text: answer.text.replaceAll(right.ssn, '<known>') };
      },
    ],
    [
      `of ${domain} that is named, by its key`,
      ({ ssn }) => dryRun(door(), domain, { id: 'a', ssn, name: 'Ada' }, { drUuid: uuidOf(record) }),
    ],
    [
      `of ${domain} from another source`,
      (guess) => dryRun(door(), domain, whole(guess), { sourceAdaptorUuid: null, drUuid: uuidOf(record) }),
    ],
  ];
  const dryRuns = (door: () => Door): readonly (readonly [string, Question])[] => [
    ...named(door, 'staff', 'ada'),
    ...named(door, 'client', 'client'),
    ...named(door, 'folk', 'folk'),
    [
      'of a reference by key',
      ({ ssn }) => dryRun(door(), 'badge', { id: 'n', holder: { id: 'a', ssn } }, { sourceAdaptorUuid: null }),
    ],
    [
      'of a reference by a part of the key',
      ({ ssn }) =>
        dryRun(door(), 'badge', { id: 'n', holder: `/domains/staff:v1?ssn=${ssn}` }, { sourceAdaptorUuid: null }),
    ],
    [
      'that is hidden',
      ({ ssn }) => {
        const drUuid = ssn === right.ssn ? uuidOf('secret') : nobody;
        return dryRun(door(), 'staff', { id: 'hidden', ssn: 'x', name: 'Ada' }, { drUuid });
      },
    ],
  ];

  const isTold = async (ask: Question): Promise<void> => {
    const [one, other] = [await ask(right), await ask(wrong)];
    const said = [saidBy(one, right), saidBy(other, wrong)].map((each) =>
      each.replaceAll(uuidOf('secret'), '<uuid>').replaceAll(nobody, '<uuid>'),
    );
    expect(said[0]).toBe(said[1]);
    expect(one.status).toBeLessThan(500);
  };

  it.each(dryRuns(() => doors.dgs))(
    'gives a reader of all data a different answer for a right guess: a dry-run %s',
    async (_, ask) => {
      expect(saidBy(await ask(right), right)).not.toBe(saidBy(await ask(wrong), wrong));
    },
  );

  it.each(dryRuns(() => clerk))('gives a clerk the same answer for every guess: a dry-run %s', async (_, ask) => {
    await isTold(ask);
  });

  it.each(dryRuns(() => outsider))(
    'gives a caller without data the same answer for every guess: a dry-run %s',
    async (_, ask) => {
      await isTold(ask);
    },
  );

  const addBadge = (door: Door, id: string, holder: unknown): Promise<RawAnswer> =>
    door.rest('POST', '/drs', { name: 'badge', json: { id: `${id}-${door === clerk ? 'clerk' : 'dgs'}`, holder } });
  const patch = (door: Door, record: string, json: object): Promise<RawAnswer> =>
    door.rest('PATCH', `/drs/${uuidOf(record)}`, json);
  const addProperty = async ({ ssn }: Guess): Promise<RawAnswer> => {
    const path = `/domains/versions/${versions.get('staff')}`;
    const { changeVersion } = requireStatus(await clerk.rest('GET', path), 200).body;
    return clerk.rest('PATCH', path, {
      changeVersion,
      modelSchema: { properties: { note: text } },
      values: [{ drKey: { id: 'a', ssn }, json: { note: 'x' } }],
    });
  };

  const lookups = (of: () => Door): readonly (readonly [string, Question])[] => [
    ['GET by dr-key', ({ ssn }) => of().rest('GET', `/drs?filters=name:staff,dr-key:ssn=${ssn}`)],
    ['GET by query', ({ ssn }) => of().rest('GET', `/drs?filters=name:staff&query=id:a%20AND%20ssn:"${ssn}"`)],
    ['POST with a reference by key', ({ ssn }) => addBadge(of(), 'n1', { id: 'a', ssn })],
    ['POST with a reference by path', ({ ssn }) => addBadge(of(), 'n2', { $ref: `/domains/staff:v1?id=a&ssn=${ssn}` })],
    ['POST with a part of a key', ({ ssn }) => addBadge(of(), 'n3', { $ref: `/domains/staff:v1?ssn=${ssn}` })],
    ['PATCH with a reference by key', ({ ssn }) => patch(of(), 'badge', { holder: { id: 'a', ssn } })],
    [
      'PATCH with a part of a key',
      ({ ssn }) => patch(of(), 'badge', { holder: { $ref: `/domains/staff:v1?ssn=${ssn}` } }),
    ],
    [
      'an import',
      ({ ssn }) =>
        of().rest('POST', '/drs/bulk?filters=name:badge&options=atomic:true', [{ id: 'n4', holder: { id: 'a', ssn } }]),
    ],
    ['assembly by drKeys', ({ ssn }) => assemble(of(), { domain: 'client', drKeys: [{ id: 'a', ssn }] })],
    ['assembly of the store', ({ ssn }) => assemble(of(), { domain: 'staff', drKeys: [{ id: 'a', ssn }] })],
    ['assembly by query', ({ ssn }) => assemble(of(), { domain: 'client', query: `ssn:"${ssn}"` })],
    ['GraphQL by query', ({ ssn }) => of().graphql(`{ dr_client_1(query: "ssn:\\"${ssn}\\"") { data { id } } }`)],
  ];

  it.each(lookups(() => doors.dgs))('finds a right guess of a reader of all data: %s', async (_, ask) => {
    expect(saidBy(await ask(right), right)).not.toBe(saidBy(await ask(wrong), wrong));
  });

  it.each(lookups(() => clerk))('gives a clerk the same answer for every guess: %s', async (_, ask) => {
    await isTold(ask);
  });

  it('gives a clerk the same answer for values of new properties', async () => {
    await isTold(addProperty);
  });

  it('gives a clerk the same answer for a hidden and an unknown record in ACL entries and rules', async () => {
    const { admin, root } = doors;
    const acls = `/zones/${root}/outbound-acls`;
    const entry = requireStatus(await admin.rest('POST', acls, { name: 'attached', get: 'ALLOW' }), 201).body;
    const attach: Question = ({ ssn }) =>
      clerk.rest('POST', `${acls}/${entry.uuid}/drs`, [ssn === right.ssn ? uuidOf('secret') : nobody]);
    await isTold(attach);
    requireStatus(await clerk.rest<unknown>('POST', `${acls}/${entry.uuid}/drs`, [uuidOf('ada')]), 201);
    requireStatus(await clerk.rest<unknown>('POST', `${acls}/${entry.uuid}/drs`, [uuidOf('client')]), 201);
    const role = requireStatus(await admin.rest('POST', `/zones/${root}/roles`, { name: 'named' }), 201).body;
    const rules = `/zones/${root}/roles/${role.uuid}/data-access-rules`;
    const name: Question = ({ ssn }) =>
      clerk.rest('POST', rules, { effect: 'DENY', drUuids: [ssn === right.ssn ? uuidOf('secret') : nobody] });
    await isTold(name);
    requireStatus(await clerk.rest<unknown>('POST', rules, { effect: 'DENY', drUuids: [uuidOf('ada')] }), 201);
  });

  it('still finds records by visible properties', async () => {
    const byName = { $ref: '/domains/staff:v1?id=a' };
    requireStatus(await clerk.rest('POST', '/drs', { name: 'badge', json: { id: 'p', holder: byName } }), 201);
    const holder = { $ref: `/drs/${uuidOf('ada')}` };
    requireStatus(await clerk.rest('POST', '/drs', { name: 'badge', json: { id: 'q', holder } }), 201);
    expect((await patch(clerk, 'badge', { id: 'c' })).status).toBe(200);
    const answer = await dryRun(clerk, 'client', { id: 'a', ssn: 'x', name: 'Eve' }, { drUuid: uuidOf('client') });
    expect(JSON.parse(answer.text)).toMatchObject({ action: 'PUT', drUuid: uuidOf('client'), matchStatus: 'RESOLVED' });
  });
});
