import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allActions, createAdaptor, requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { doorOf, openDoors, type Door, type Doors, type Resource } from '../open-doors.js';
import { nobody } from '../unique-name.js';

interface CreatedUser extends Resource {
  readonly clientId: string;
  readonly clientSecret: string;
}

type JsonObject = NonNullable<Parameters<RunningAdaptor['publish']>[0]['json']>;

interface Issues {
  readonly issues: readonly (Resource & { readonly dataEvent: JsonObject | null })[];
  readonly _page: { readonly totalElements: number };
}

/** Part of all data that rules hide from the reader. */
const canary = 'CANARY';
/** Part of all data that only adaptors of another zone have. */
const far = 'FAR';
const count = 7;

const places = new Map<string, string>();

const fill = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => places.get(name) ?? whole);

type Way = readonly [says: string, ask: (door: Door) => Promise<RawAnswer>];
const get = (path: string): Way => [`GET ${path}`, (door) => door.rest('GET', fill(path))];
const query = (text: string): Way => [`GraphQL ${text}`, (door) => door.graphql(fill(text))];
const members = 'uuid title drUuid adaptor { name } dataEvent errors { pointer code detail }';
const ofVersion = '/zones/{root}/adaptors/{open}/domains/{domain}/versions/{version}/issues';

/** Requests that return data of issues. `{match}`, `{failed}` and similar names are issues. */
const ways: readonly Way[] = [
  get('/zones/{root}/issues'),
  get('/zones/{root}/issues?sort=-adaptor.name,title,drUuid'),
  get('/zones/{root}/issues?filters=status:OPEN,exceptions:ADAPTOR'),
  get('/zones/{root}/issues?filters=adaptor:{closed}'),
  get('/zones/{root}/issues?filters=dr-uuid:{hidden}'),
  get('/zones/{root}/adaptors/{open}/issues'),
  get('/zones/{root}/adaptors/{closed}/issues'),
  get(ofVersion),
  get('/zones/{root}/issues/{notValid}'),
  get('/zones/{root}/issues/{badKey}'),
  get('/zones/{root}/issues/{ofClosed}'),
  get('/zones/{root}/issues/{unknown}'),
  get('/zones/{root}/issues/{failed}'),
  get('/zones/{root}/issues/{failedHidden}'),
  get('/zones/{root}/adaptors/{open}/issues/{failed}'),
  get(`${ofVersion}/{failed}`),
  get('/zones/{root}/issues/{match}'),
  get('/zones/{root}/issues/{match}/matches'),
  get('/zones/{root}/issues/{match}/matches?filters=min-score:0'),
  get('/zones/{root}/adaptors/{open}/issues/{match}/matches'),
  query(`{ dataIssues(zoneUuid: "{root}") { data { ${members} } page { totalElements } } }`),
  query(`{ dataIssue(zoneUuid: "{root}", issueUuid: "{failed}") { ${members} } }`),
  query(
    '{ dataIssueMatches(zoneUuid: "{root}", issueUuid: "{match}") { data { drUuid score drKey adaptorUuid comparisons } } }',
  ),
];

describe('data issues behind data access rules', () => {
  const leftovers = createLeftovers();
  let doors: Doors;
  let reader: Door;
  let steward: Door;
  let rulesPath: string;

  const list = async (door: Door, filters = '', zone = '{root}') =>
    requireStatus(await door.rest<Issues>('GET', fill(`/zones/${zone}/issues${filters}`)), 200).body;

  const startAdaptorIn = async (
    zoneUuid: string,
    name: string,
  ): Promise<CreatedAdaptor & { readonly running: RunningAdaptor }> => {
    const created = await createAdaptor(doors.dgs, zoneUuid, { name, capabilities: allActions('person') });
    const running = await startSourceAdaptor(leftovers, doors.service, created, {
      apply: ({ json }) => {
        if (json['city'] === `${canary} ${far} fails`) throw new Error(`no room for ${canary} ${far}`);
      },
    });
    return { ...created, running };
  };

  const addUser = async (zone: string, username: string): Promise<CreatedUser> =>
    requireStatus(
      await doors.admin.rest<CreatedUser>('POST', `/zones/${places.get(zone)}/users`, {
        username,
        serviceAccount: true,
      }),
      201,
    ).body;
  const doorOfUser = async ({ clientId, clientSecret }: CreatedUser): Promise<Door> =>
    doorOf(
      doors.service,
      await getToken({ baseUrl: doors.service.baseUrl, username: clientId, password: clientSecret }),
    );

  beforeAll(async () => {
    doors = await openDoors(leftovers);
    const { admin, dgs, root } = doors;
    places.set('root', root);
    const text = { type: 'string' };
    const { uuid: domain } = requireStatus(
      await dgs.rest('POST', '/domains', { name: 'person', domainType: 'FEDERATED' }),
      201,
    ).body;
    const { uuid: version } = requireStatus(
      await dgs.rest('POST', `/domains/${domain}/versions`, {
        modelSchema: { properties: { name: text, ssn: text, city: text, size: { type: 'integer' } } },
        drKeyProperties: ['name', 'ssn'],
        matchingAlgorithm: {
          type: 'SCORED',
          rules: [{ all: [{ property: 'ssn', comparator: 'EXACT' }] }],
          scores: [
            { property: 'name', comparator: 'NORMALIZED', weight: 0.5 },
            { property: 'ssn', comparator: 'EXACT', weight: 0.5 },
          ],
          thresholds: { match: 1, review: 0.3 },
          onReview: 'HOLD',
        },
      }),
      201,
    ).body;
    const side = requireStatus(await admin.rest('POST', '/zones', { name: 'Side', parentZoneUuid: root }), 201).body;
    for (const [name, uuid] of Object.entries({ domain, version, side: side.uuid })) places.set(name, uuid);

    const open = await startAdaptorIn(root, 'open');
    const closed = await startAdaptorIn(root, `${canary}-adaptor`);
    const aside = await startAdaptorIn(side.uuid, 'aside');
    places.set('open', open.uuid);
    places.set('closed', closed.uuid);
    const send = (from: { readonly running: RunningAdaptor }, json: JsonObject, versionNumber = 1) =>
      from.running.publish({ action: 'POST', domain: 'person', version: versionNumber, json });
    const byName = (name: string): Promise<string> =>
      eventually(async () => {
        const { body } = requireStatus(
          await dgs.rest<{ drs: readonly Resource[] }>('GET', '/drs?filters=name:person'),
          200,
        );
        const found = body.drs.find(({ drKey }) => (drKey as { readonly name?: string }).name === name);
        if (found === undefined) throw new Error(`no record ${name}`);
        return found.uuid;
      });
    const known = new Set<string>();
    /** Waits for the next issue. */
    const next = (name: string): Promise<void> =>
      eventually(async () => {
        const added = (await list(dgs)).issues.filter(({ uuid }) => !known.has(uuid));
        expect(added).toHaveLength(1);
        for (const { uuid } of added) {
          known.add(uuid);
          places.set(name, uuid);
        }
      });

    const ssn = `${canary}-7`;
    const city = `${canary} ${far}`;
    await send(open, { name: 'Ann Moor', ssn, city });
    places.set('candidate', await byName('Ann Moor'));
    // no matching token leads to this record
    await send(closed, { name: 'Bert', ssn: `${canary}-8`, city: `${city} fails` });
    await next('failedHidden');
    places.set('hidden', await byName('Bert'));
    await send(closed, { name: 'Carl', ssn: `${canary}-9`, city: `${city} fails` });
    await next('failed');
    await send(open, { name: 'Dora', ssn: `${canary}-1`, city, size: 'many' });
    await next('notValid');
    await send(open, { name: 'Emil', ssn: { of: canary }, city });
    await next('badKey');
    await send(closed, { name: canary, ssn, city, size: 'many' });
    await next('ofClosed');
    await send(open, { name: canary, ssn, city }, 9);
    await next('unknown');
    await send(open, { name: 'Ann Mohr', ssn, city });
    await next('match');

    await send(aside, { name: 'Bertt', ssn: `${canary}-8`, city: 'Oslo' });
    await eventually(async () => expect((await list(admin, '', '{side}'))._page.totalElements).toBe(3));

    const grant = (door: Door, holderUuid: string | undefined, resource: string, action = 'ALL') =>
      door.rest('POST', `/zones/${root}/permissions`, {
        type: 'ALLOW',
        action,
        resource,
        holderType: 'USER',
        holderUuid,
      });
    const { users } = requireStatus(
      await admin.rest<{ readonly users: readonly (Resource & { readonly username: string })[] }>(
        'GET',
        `/zones/${root}/users`,
      ),
      200,
    ).body;
    const dgsUuid = users.find(({ username }) => username === 'dgs')?.uuid;
    requireStatus(await grant(admin, dgsUuid, `/zones/${root}/permissions`, 'POST'), 201);
    const user = await addUser('root', 'reader');
    for (const resource of ['/drs/*', `/zones/${root}/issues/*`, `/zones/${root}/adaptors/*`]) {
      requireStatus(await grant(dgs, user.uuid, resource), 201);
    }
    const role = requireStatus(await admin.rest('POST', `/zones/${root}/roles`, { name: 'Clerk' }), 201).body;
    requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role.uuid}/users`, [user.uuid]), 201);
    rulesPath = `/zones/${root}/roles/${role.uuid}/data-access-rules`;
    reader = await doorOfUser(user);

    const { roles } = requireStatus(
      await admin.rest<{ readonly roles: readonly Resource[] }>('GET', `/zones/${side.uuid}/roles`),
      200,
    ).body;
    const stewards = roles.find(({ name }) => name === 'Zone Data Steward')?.uuid;
    const sideUser = await addUser('side', 'side-steward');
    requireStatus(await grant(admin, dgsUuid, `/zones/${side.uuid}/roles/*`, 'POST'), 201);
    requireStatus(await dgs.rest('POST', `/zones/${side.uuid}/roles/${stewards}/users`, [sideUser.uuid]), 201);
    steward = await doorOfUser(sideUser);
  }, 180_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it('are all visible without rules', async () => {
    expect((await list(reader))._page.totalElements).toBe(count);
    let seen = 0;
    for (const [says, ask] of ways) {
      const answer = await ask(reader);
      if (answer.status !== 200) throw new Error(`${says}: ${answer.status} ${answer.text}`);
      if (answer.text.includes(canary)) seen += 1;
    }
    expect(seen).toBe(ways.length);
  });

  it('are created for an adaptor and for properties', async () => {
    const rules = [
      { effect: 'DENY', adaptorUuid: places.get('closed') },
      { effect: 'DENY', domainUuid: places.get('domain'), properties: ['ssn', 'city'] },
    ];
    requireStatus(await doors.admin.rest('POST', rulesPath, rules), 201);
  });

  it('show the visible part of events without a record, while no rule names a record', async () => {
    const { issues } = await list(reader);
    const notValid = issues.find(({ uuid }) => uuid === places.get('notValid'));
    expect(notValid?.dataEvent).toMatchObject({ json: { name: 'Dora', size: 'many' } });
    expect(notValid?.['errors']).toMatchObject([{ pointer: '/json/size' }]);
    const badKey = issues.find(({ uuid }) => uuid === places.get('badKey'));
    expect([badKey?.dataEvent?.['json'], badKey?.['errors']]).toEqual([{ name: 'Emil' }, []]);
  });

  it('are created for a record', async () => {
    const rule = { effect: 'DENY', drUuids: [places.get('hidden')] };
    requireStatus(await doors.admin.rest('POST', rulesPath, rule), 201);
  });

  it.each(ways)('hide the expected data: %s', async (_, ask) => {
    const answer = await ask(reader);
    expect(answer.status).toBeLessThan(500);
    expect(`${JSON.stringify(answer.headers)} ${answer.text}`).not.toContain(canary);
  });

  it('leave other data visible, and only count that', async () => {
    const { issues, _page } = await list(reader);
    const shown = ['notValid', 'badKey', 'unknown', 'failed', 'match'].map((name) => places.get(name) ?? '');
    expect(issues.map(({ uuid }) => uuid).toSorted()).toEqual(shown.toSorted());
    expect(_page.totalElements).toBe(shown.length);
    expect(JSON.stringify(issues)).not.toContain(places.get('hidden'));
    for (const filter of ['adaptor:{closed}', 'dr-uuid:{hidden}']) {
      expect((await list(reader, `?filters=${filter}`))._page.totalElements).toBe(0);
    }
    // their events belong to no known record, which may be the one that a rule names
    for (const name of ['notValid', 'badKey']) {
      const found = issues.find(({ uuid }) => uuid === places.get(name));
      expect([found?.dataEvent, found?.['errors']]).toEqual([null, []]);
    }
    const matches = requireStatus(
      await reader.rest<{ readonly matches: readonly Resource[] }>('GET', fill('/zones/{root}/issues/{match}/matches')),
      200,
    ).body;
    expect(matches.matches).toMatchObject([
      { drUuid: places.get('candidate'), score: null, drKey: { name: 'Ann Moor' } },
    ]);
  });

  it('apply to changes too: a hidden record looks like a missing one', async () => {
    const change = (issue: string, body: object) =>
      reader.rest('PATCH', fill(`/zones/{root}/issues/${issue}`), { changeVersion: 1, ...body });
    const answers = [
      await change('{ofClosed}', { title: 'x' }),
      await change('{failedHidden}', { status: 'CLOSED', retry: true }),
      await reader.rest('DELETE', fill('/zones/{root}/issues/{ofClosed}')),
      await reader.rest('GET', fill('/zones/{root}/issues/{ofClosed}/matches')),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const settle = async (drUuid: string | undefined) => {
      const { status, body } = await change('{match}', { status: 'CLOSED', matchStatus: 'RESOLVED', drUuid });
      return [status, (body as Readonly<Record<string, unknown>>)['errors']];
    };
    expect(await settle(places.get('hidden'))).toEqual(await settle(nobody));
    expect((await list(doors.dgs))._page.totalElements).toBe(count);
  });

  it('show the steward of one zone what its adaptors hold', async () => {
    const { issues, _page } = await list(steward, '', '{side}');
    expect(_page.totalElements).toBe(3);
    expect(JSON.stringify(issues)).not.toContain(far);
    const own = issues.find(({ dataEvent }) => dataEvent !== null);
    expect(own?.dataEvent).toMatchObject({ json: { name: 'Bertt', city: 'Oslo' } });
    const path = fill(`/zones/{side}/issues/${own?.uuid}/matches`);
    const all = requireStatus(await doors.admin.rest<{ readonly matches: readonly Resource[] }>('GET', path), 200).body;
    expect(all.matches).toMatchObject([{ drUuid: places.get('hidden') }]);
    const seen = requireStatus(await steward.rest<{ readonly matches: readonly Resource[] }>('GET', path), 200).body;
    expect(seen).toMatchObject({ matches: [], _page: { totalElements: 0 } });
    expect((await steward.rest('GET', fill('/zones/{root}/issues'))).status).toBe(403);
  });
});
