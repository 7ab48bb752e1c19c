import { formatSequence } from '@fds/adaptor-protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openHostileAdaptor, type HostileAdaptor } from '../../faults/hostile/open-hostile-adaptor.js';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { eventMutations, leadsSomewhere, type Members } from './event-mutations.js';
import { openDoors, type Doors } from '../open-doors.js';

interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

interface Issue {
  readonly uuid: string;
  readonly domainVersion: { readonly versionNumber: number; readonly domain: { readonly name: string } } | null;
  readonly dataEvent: unknown;
  readonly errors: readonly Fault[];
}

const properties = {
  id: { type: 'string' },
  n: { type: 'integer' },
  note: { type: 'string', required: true },
  at: { type: 'object', properties: { city: { type: 'string', required: true }, zip: { type: 'integer' } } },
  lines: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } },
} as const;
const domains = ['sheet', 'card'];

const isNamed = (event: unknown): boolean => {
  const { domain, version } = (typeof event === 'object' ? (event ?? {}) : {}) as Members;
  return typeof domain === 'string' && domains.includes(domain) && version === 1;
};

describe('issues of malformed events', () => {
  const leftovers = createLeftovers();
  let doors: Doors;
  let adaptor: HostileAdaptor;
  let path: string;
  let last = 0;

  beforeAll(async () => {
    doors = await openDoors(leftovers);
    const { dgs, root, service } = doors;
    for (const name of domains) {
      const domainType = name === 'card' ? 'SERVICE_DATA_STORE' : 'FEDERATED';
      await createVersion(dgs, { name, domainType, properties, drKeyProperties: ['id'] });
    }
    const capabilities = domains.flatMap((name) => allActions(name));
    const created = await createAdaptor(dgs, root, { name: 'Malformed', capabilities });
    adaptor = await openHostileAdaptor(leftovers, service.busUrl, created);
    path = `/zones/${root}/adaptors/${created.uuid}/issues`;
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  /** Sends a message with the next number of the sequence. Resolves when the broker has it. */
  const say = async (data: (transactionUuid: string) => unknown, envelope: Members = {}): Promise<void> => {
    const { epoch, id, source, time, transactionUuid } = adaptor.place();
    const sequence = last + 1;
    const message = {
      specversion: '1.0',
      id,
      source,
      time,
      type: 'fds.data.v1',
      epoch,
      sequence: formatSequence(sequence),
      data: data(transactionUuid),
      ...envelope,
    };
    await adaptor.say('up/data', JSON.stringify(message));
    last = sequence;
  };
  /** Waits until the server has acknowledged every message. */
  const untilDone = (): Promise<void> => adaptor.untilDone({ ...adaptor.place(), sequence: last });
  const issues = async (size: number): Promise<readonly Issue[]> => {
    await untilDone();
    return requireStatus(await doors.dgs.rest<{ issues: readonly Issue[] }>('GET', `${path}?size=${size}`), 200).body
      .issues;
  };
  const newest = async (): Promise<Issue> => {
    const [issue] = await issues(1);
    if (issue === undefined) throw new Error('there is no issue');
    return issue;
  };

  const event = (members: Members) => (transactionUuid: string) => ({
    action: 'POST',
    domain: 'sheet',
    version: 1,
    transactionUuid,
    createTime: 1,
    ...members,
  });
  const json = { id: 'table', n: 1, note: 'n' };

  it.each<[string, Members, Fault]>([
    ['a POST without a record', {}, { pointer: '/json', code: 'REQUIRED', detail: 'or jsonData is needed for POST' }],
    [
      'a DELETE without a key',
      { action: 'DELETE' },
      { pointer: '/drKey', code: 'REQUIRED', detail: 'or drUuid must say which record is deleted' },
    ],
    [
      'a DELETE with a wrong key',
      { action: 'DELETE', drKey: { id: 7 } },
      { pointer: '/drKey/id', code: 'INVALID_TYPE', detail: 'the value is not a string' },
    ],
    [
      'an unknown action',
      { action: 'UPSERT', json: { ...json, id: 'action' } },
      { pointer: '/action', code: 'UNKNOWN_VALUE', detail: '"UPSERT" is not one of POST, PUT, DELETE' },
    ],
    [
      'a record sent as text that is not valid',
      { jsonData: JSON.stringify({ ...json, id: 'text', at: { city: 5 } }) },
      { pointer: '/json/at/city', code: 'INVALID_TYPE', detail: 'the value is not a string' },
    ],
  ])('name the version and the place: %s', async (_, members, fault) => {
    await say(event(members));
    const issue = await newest();
    expect(issue.domainVersion).toMatchObject({ versionNumber: 1, domain: { name: 'sheet' } });
    expect(issue.errors).toContainEqual(fault);
  });

  it('show a record that was sent as text as an object, and the pointers refer to that object', async () => {
    await say(event({ jsonData: '{"id":"shown","n":"many","note":"n"}' }));
    expect((await newest()).dataEvent).toMatchObject({ json: { id: 'shown', n: 'many', note: 'n' } });
    expect((await newest()).dataEvent).not.toHaveProperty('jsonData');
  });

  it.each([
    ['GET', '/drs?filters=name:nowhere', undefined, 'there is no domain "nowhere" that has a version'],
    ['POST', '/drs', { name: 'sheet', version: 99, json }, 'there is no version 99 of a domain "sheet"'],
  ])('name an unknown domain or version as REST does: %s %s', async (method, below, body, detail) => {
    expect(await doors.dgs.rest(method, below, body)).toMatchObject({ status: 404, body: { detail } });
  });

  it.each<[string, Members, string, string]>([
    ['domain', { domain: 'nowhere' }, '/domain', 'there is no domain "nowhere" that has a version'],
    ['version', { version: 99 }, '/version', 'the domain "sheet" has no version 99'],
  ])('name the unknown %s', async (_, members, pointer, detail) => {
    await say(event({ json, ...members }));
    expect(await newest()).toMatchObject({ domainVersion: null, errors: [{ pointer, detail }] });
  });

  it('keep version and event when the envelope is wrong', async () => {
    await say(event({ json: { ...json, id: 'envelope' } }), { specversion: '0.3' });
    const issue = await newest();
    expect(issue).toMatchObject({
      domainVersion: { domain: { name: 'sheet' } },
      dataEvent: { action: 'POST', json: { id: 'envelope' } },
    });
    expect(issue.errors.map(({ pointer }) => pointer)).toEqual(['']);
    expect(issue.errors[0]?.detail).toContain('specversion');
  });

  it('have pointers into the shown event, and the version that the event names, for every kind of fault', async () => {
    const before = (await issues(1000)).length;
    let number = 0;
    for (const domain of domains) {
      for (const mutate of eventMutations) {
        const { data, envelope } = mutate({ domain, id: `mutant ${(number += 1)}` });
        await say((transactionUuid) => ({ transactionUuid, ...data }), envelope);
      }
    }
    const found = (await issues(1000)).slice(0, -before);
    const pointers = found.flatMap(({ errors }) => errors.map(({ pointer }) => pointer));
    expect(found.length).toBeGreaterThan(200);
    expect(new Set(pointers).size).toBeGreaterThan(20);
    const astray = found.flatMap(({ dataEvent, errors }) =>
      errors
        .filter(({ pointer }) => !leadsSomewhere(dataEvent, pointer))
        .map(({ pointer }) => ({ pointer, dataEvent })),
    );
    expect(astray).toEqual([]);
    expect(found.filter(({ dataEvent, domainVersion }) => isNamed(dataEvent) !== (domainVersion !== null))).toEqual([]);
  }, 120_000);
});
