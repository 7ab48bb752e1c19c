import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { openWebhookReceiver } from '../../harness/webhook-receiver.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { openSubscriber } from '../subscriptions/open-subscriber.js';

/** Part of every planted value that no tested person may see. */
const canary = 'CANARY';
const domain = 'views';

interface Log {
  readonly messages: readonly { readonly resource: string; readonly status: string }[];
  readonly _page: { readonly totalElements: number };
}
interface Registrations {
  readonly notifications: readonly { readonly notificationId: string; readonly waitingMessages: number }[];
}
interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/**
 * The contract of these paths shows the number of all messages of an adaptor to its readers. A shutdown code is
 * another one each time.
 */
const wholes = /^\/zones\/[\w-]+\/adaptors\/[\w-]+\/(?:metrics|queue|shutdown-code)$/;

/** Removes times of the answer and of the process. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/"(?:uptime|requestId|heartbeat|changeLogLag|traceId|timestamp|date)":\s*(?:"[^"]*"|[\d.]+)/g, '');

/**
 * The views that are derived from the change log, from events or from issues. Each person asks all of them for planted data
 * that they may not see.
 */
describe('derived views', () => {
  const { doors, leftovers } = setUpDoors({ FDS_WEBHOOK_ALLOW_PRIVATE: 'true' });
  const known: Record<string, string> = {};
  const people = new Map<string, { readonly door: Door; readonly notificationId: string }>();
  const persons = ['without rights', 'with rules by record', 'of another zone'] as const;
  let receiverUrl: string;

  const personOf = (name: string) => {
    const person = people.get(name);
    if (person === undefined) throw new Error(`nobody ${name}`);
    return person;
  };

  const addPerson = async (name: string, zoneUuid: string, username: string): Promise<Resource> => {
    const { body } = requireStatus(
      await doors.admin.rest<Resource & { readonly clientId: string; readonly clientSecret: string }>(
        'POST',
        `/zones/${zoneUuid}/users`,
        { username, serviceAccount: true },
      ),
      201,
    );
    const { baseUrl } = doors.service;
    const token = await getToken({ baseUrl, username: body.clientId, password: body.clientSecret });
    const door = doorOf(doors.service, token);
    const registration = {
      callback: `${receiverUrl}/${username}`,
      callbackType: 'WEB_HOOK',
      events: [{ resource: '/*', actions: ['ALL'] }],
    };
    requireStatus(await door.rest('PUT', '/notifications', registration), 204);
    const notificationId = await eventually(async () => {
      const { notifications } = requireStatus(await door.rest<Registrations>('GET', '/notifications'), 200).body;
      expect(notifications).toHaveLength(1);
      return notifications[0]?.notificationId ?? '';
    });
    people.set(name, { door, notificationId });
    return body;
  };

  beforeAll(async () => {
    const { admin, dgs, root } = doors;
    receiverUrl = (await openWebhookReceiver(leftovers)).url;
    const child = { name: 'views-other', parentZoneUuid: root };
    const other = requireStatus(await admin.rest('POST', '/zones', child), 201).body.uuid;
    const text = { type: 'string' };
    const { domainUuid, domainVersionUuid } = await createVersion(dgs, {
      name: domain,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: text, city: text, size: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const post = async (json: object) =>
      requireStatus(await dgs.rest('POST', '/drs', { name: domain, json }), 201).body.uuid;
    const hidden = await post({ id: `${canary}-1`, city: canary });
    const seen = await post({ id: 'seen', city: 'Oslo' });

    const { users } = requireStatus(
      await admin.rest<{ readonly users: readonly (Resource & { readonly username: string })[] }>(
        'GET',
        `/zones/${root}/users`,
      ),
      200,
    ).body;
    const holderUuid = users.find(({ username }) => username === 'dgs')?.uuid;
    for (const resource of [`/zones/${root}/permissions`, `/zones/${other}/roles/*`]) {
      const permission = { type: 'ALLOW', action: 'POST', resource, holderType: 'USER', holderUuid };
      requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, permission), 201);
    }

    await addPerson('without rights', root, 'views-nobody');
    const reader = await addPerson('with rules by record', root, 'views-reader');
    const role = requireStatus(await admin.rest('POST', `/zones/${root}/roles`, { name: 'Views reader' }), 201).body
      .uuid;
    const rule = { effect: 'DENY', drUuids: [hidden] };
    requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role}/data-access-rules`, rule), 201);
    requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role}/users`, [reader.uuid]), 201);
    for (const resource of ['/drs/*', `/zones/${root}/issues/*`, `/zones/${root}/adaptors/*`]) {
      const permission = { type: 'ALLOW', action: 'ALL', resource, holderType: 'USER', holderUuid: reader.uuid };
      requireStatus(await dgs.rest('POST', `/zones/${root}/permissions`, permission), 201);
    }
    const stranger = await addPerson('of another zone', other, 'views-stranger');
    const { roles } = requireStatus(
      await admin.rest<{ readonly roles: readonly Resource[] }>('GET', `/zones/${other}/roles`),
      200,
    ).body;
    const stewards = roles.find(({ name }) => name === 'Zone Data Steward')?.uuid ?? '';
    requireStatus(await dgs.rest('POST', `/zones/${other}/roles/${stewards}/users`, [stranger.uuid]), 201);

    // changes, an issue of the hidden record with an event behind it, and a change that the reader may see, at the end
    const adaptor = await createAdaptor(dgs, root, { name: `${canary}-adaptor`, capabilities: allActions(domain) });
    const source = await startSourceAdaptor(leftovers, doors.service, adaptor, {});
    for (const size of ['many', 'more']) {
      const json = { id: `${canary}-1`, city: `${canary} ${size}`, size };
      await source.publish({ action: 'PUT', domain, version: 1, json });
    }
    const issues = `/zones/${root}/issues`;
    const issueUuid = await eventually(async () => {
      const { body } = requireStatus(
        await dgs.rest<{ readonly issues: readonly (Resource & { readonly waitingCount: number })[] }>('GET', issues),
        200,
      );
      expect(body.issues).toHaveLength(1);
      return body.issues[0]?.uuid ?? '';
    });
    requireStatus(await dgs.rest('PATCH', `/drs/${hidden}`, { city: `${canary} II` }), 200);
    requireStatus(await admin.rest('POST', '/zones', { name: `${canary}-zone`, parentZoneUuid: root }), 201);
    await post({ id: 'last', city: 'Bergen' });
    Object.assign(known, {
      zoneUuid: root,
      domainUuid,
      domainVersionUuid,
      versionUuid: domainVersionUuid,
      adaptorUuid: adaptor.uuid,
      issueUuid,
      drUuid: hidden,
      hidden,
      seen,
    });
  }, 180_000);

  const logOf = async ({ door, notificationId }: { readonly door: Door; readonly notificationId: string }) =>
    requireStatus(await door.rest<Log>('GET', `/notifications/${notificationId}/messages?size=1000`), 200).body;

  it('hide the planted data and its number in the delivery log, its counts and redeliveries', async () => {
    const reader = personOf('with rules by record');
    // the change at the end: everything before it is decided
    await eventually(async () => expect((await logOf(reader)).messages.length).toBeGreaterThan(0));
    await eventually(async () =>
      expect((await logOf(reader)).messages.every(({ status }) => status === 'DELIVERED')).toBe(true),
    );
    for (const name of persons) {
      const person = personOf(name);
      const log = await logOf(person);
      expect(log._page.totalElements).toBe(log.messages.length);
      expect(JSON.stringify(log)).not.toContain(known['hidden']);
      expect(JSON.stringify(log)).not.toContain(canary);
      const { door, notificationId } = person;
      const redelivery = await door.rest<{ readonly messages: number }>(
        'POST',
        `/notifications/${notificationId}/redeliveries`,
        { from: 0 },
      );
      const own = name === 'with rules by record' ? log.messages.length : 0;
      expect([name, requireStatus(redelivery, 202).body.messages >= own]).toEqual([name, true]);
      const after = await logOf(person);
      expect(JSON.stringify(after)).not.toContain(known['hidden']);
      // every message that waits again is one that the person sees; further changes may follow
      expect(after._page.totalElements).toBeGreaterThanOrEqual(redelivery.body.messages);
      const { notifications } = requireStatus(await door.rest<Registrations>('GET', '/notifications'), 200).body;
      expect(notifications[0]?.waitingMessages).toBeLessThanOrEqual(after._page.totalElements);
    }
    expect(
      (await logOf(personOf('without rights'))).messages.filter(({ resource }) => !/notifications/.test(resource)),
    ).toEqual([]);
  });

  it.each(persons)('hide the planted data from a person %s at every endpoint that reads', async (name) => {
    const { door } = personOf(name);
    const { endpoints } = requireStatus(
      await doors.admin.rest<{ readonly endpoints: readonly Endpoint[] }>('GET', '/endpoints'),
      200,
    ).body;
    const leaks: string[] = [];
    let asked = 0;
    for (const { method, path } of endpoints) {
      if (method !== 'GET') continue;
      const filled = path
        .replace(/^\/api/, '')
        .replaceAll(/\{(\w+)\}/g, (_, place: string) => known[place] ?? known['zoneUuid'] ?? '');
      for (const query of filled === '/drs' ? [`?filters=name:${domain}`, `?dr-uuids=${known['hidden']}`] : ['']) {
        const answer = await door.rest<unknown>('GET', `${filled}${query}`);
        asked += 1;
        expect([filled, answer.status < 500 || answer.status === 503]).toEqual([filled, true]);
        // the names of adaptors and zones are visible to those who may GET them
        const text = answer.text.replaceAll(/CANARY-(?:adaptor|zone)/g, '');
        if (text.includes(canary)) leaks.push(`${filled}${query}`);
      }
    }
    expect(leaks).toEqual([]);
    expect(asked).toBeGreaterThan(50);
  });

  it('count only visible records and issues', async () => {
    const { door } = personOf('with rules by record');
    const total = async (path: string) =>
      requireStatus(await door.rest<{ readonly _page: { readonly totalElements: number } }>('GET', path), 200).body
        ._page.totalElements;
    expect(await total(`/drs?filters=name:${domain}`)).toBe(2);
    expect(await total(`/zones/${known['zoneUuid']}/issues`)).toBe(0);
    const counts = await door.rest<{ readonly issueCount: number; readonly groups: readonly unknown[] }>(
      'GET',
      `/zones/${known['zoneUuid']}/issues/counts`,
    );
    expect(requireStatus(counts, 200).body).toMatchObject({ issueCount: 0, groups: [] });
    for (const path of ['', '/matches', '/waiting']) {
      const answer = await door.rest('GET', `/zones/${known['zoneUuid']}/issues/${known['issueUuid']}${path}`);
      expect(answer.status).toBe(404);
    }
  });

  it.each(['with rules by record', 'of another zone'])(
    'send a person %s no hidden change over a socket',
    async (name) => {
      const { door } = personOf(name);
      const subscriber = openSubscriber(leftovers, doors.service.baseUrl, () => door.token);
      const events = subscriber.subscribe<object>(
        'subscription { metadataEvents(events: [{ resource: "/*", actions: [ALL] }], after: "0") { cursor action resource type data } }',
      );
      const issues = subscriber.subscribe<object>(
        'subscription { dataIssues(after: "0") { cursor issueUuid title drUuid } }',
      );
      const ends = { id: `end of ${name}`, city: 'Tromsø' };
      requireStatus(await doors.dgs.rest('POST', '/drs', { name: domain, json: ends }), 201);
      if (name === 'with rules by record')
        await eventually(() => expect(JSON.stringify(events.data)).toContain('Tromsø'));
      const text = JSON.stringify([events.data, issues.data, issues.errors, events.errors]).replaceAll(
        `${canary}-adaptor`,
        '',
      );
      expect(text).not.toContain(canary);
      expect(text).not.toContain(known['hidden']);
      events.stop();
      issues.stop();
    },
  );

  /** Answers of every endpoint that reads, with the headers that could hold a number. */
  const walk = async ({ door }: { readonly door: Door }): Promise<Map<string, string>> => {
    const { endpoints } = requireStatus(
      await doors.admin.rest<{ readonly endpoints: readonly Endpoint[] }>('GET', '/endpoints'),
      200,
    ).body;
    const answers = new Map<string, string>();
    for (const { method, path } of endpoints) {
      if (method !== 'GET') continue;
      const filled = path
        .replace(/^\/api/, '')
        .replaceAll(/\{(\w+)\}/g, (_, place: string) => known[place] ?? known['zoneUuid'] ?? '');
      const asked = filled === '/drs' ? `${filled}?filters=name:${domain}` : filled;
      const { status, headers, text } = await door.rest<unknown>('GET', asked);
      const counting = Object.entries(headers).filter(([name]) =>
        /^(?:etag|retry-after|link|x-(?!request-id))/.test(name),
      );
      answers.set(asked, JSON.stringify([status, counting, withoutTimes(text)]));
    }
    return answers;
  };

  it.each(persons)('show a person %s no number that moves with hidden changes', async (name) => {
    const person = personOf(name);
    const subscriber = openSubscriber(leftovers, doors.service.baseUrl, () => person.door.token);
    // own deliveries of earlier tests are over
    await eventually(async () => {
      const { messages } = await logOf(person);
      expect(messages.every(({ status }) => status !== 'QUEUED')).toBe(true);
      const { notifications } = requireStatus(await person.door.rest<Registrations>('GET', '/notifications'), 200).body;
      expect(notifications[0]?.waitingMessages).toBe(0);
    });
    const before = await walk(person);
    for (const change of [1, 2, 3]) {
      const city = `${canary} ${name} ${change}`;
      requireStatus(await doors.dgs.rest('PATCH', `/drs/${known['hidden']}`, { city }), 200);
      const group = { name: `${canary} ${name} ${change}` };
      requireStatus(await doors.admin.rest('POST', `/zones/${known['zoneUuid']}/groups`, group), 201);
    }
    const after = await walk(person);
    const moved = [...before]
      .filter(([path, answer]) => after.get(path) !== answer && !wholes.test(path))
      .map(([path]) => path);
    expect(moved).toEqual([]);
    expect(before.size).toBeGreaterThan(50);
    // a guessed position is answered in the same way in the log, behind its end and before its begin
    const answers = await Promise.all(
      ['1', '7', '100', '999999999999999999'].map(async (position) => {
        const guessed = subscriber.subscribe<object>(
          `subscription { metadataEvents(after: "${position}") { cursor } }`,
        );
        await guessed.end();
        return JSON.stringify(guessed.errors, ['message', 'extensions', 'code', 'errors', 'detail', 'pointer']);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(name === 'without rights' ? /FORBIDDEN|UNKNOWN_CURSOR/ : /UNKNOWN_CURSOR/);
  });

  it('give cursors of one length that differ at the same position', async () => {
    const { door } = personOf('with rules by record');
    const subscriber = openSubscriber(leftovers, doors.service.baseUrl, () => door.token);
    const states = subscriber.subscribe<{ readonly adaptorStates: { readonly cursor: string } }>(
      `subscription { adaptorStates(zoneUuid: "${known['zoneUuid']}") { cursor } }`,
    );
    const read = await states.wait(2);
    states.stop();
    const cursors = read.map(({ adaptorStates }) => adaptorStates.cursor);
    // nothing happened between them
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
    // such a cursor continues at its position
    const events = subscriber.subscribe<object>(
      `subscription { metadataEvents(events: [{ resource: "/drs/*", actions: [ALL] }], after: "${cursors[0]}") { data } }`,
    );
    requireStatus(
      await doors.dgs.rest('POST', '/drs', { name: domain, json: { id: 'continued', city: 'Molde' } }),
      201,
    );
    await eventually(() => expect(JSON.stringify(events.data)).toContain('Molde'));
    expect(events.errors).toEqual([]);
    events.stop();
  });
});
