import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingEvent } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
  type VersionSpecification,
} from '../../harness/catalogue.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { expectProblem } from '../expect-problem.js';
import type { Door } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody, uniqueName } from '../unique-name.js';

interface Entry {
  readonly uuid: string;
  readonly drKey: Readonly<Record<string, unknown>>;
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly _refs?: readonly { readonly property: string; readonly href: string }[];
}

interface Deletion {
  readonly transactionUuid: string;
  readonly adaptors: readonly { readonly adaptorUuid: string; readonly status: string }[];
}

interface CrossedEvent {
  readonly eventUuid: string;
  readonly sourceAdaptorUuid: string | null;
  readonly properties: readonly string[];
}

interface Events {
  readonly dataEvents: readonly {
    readonly uuid: string;
    readonly transactionUuid: string;
    readonly action: string;
    readonly matchStatus: string | null;
    readonly sourceAdaptorUuid: string | null;
    readonly createTime: number;
    readonly drKey: unknown;
    readonly destinations: readonly {
      readonly adaptorUuid: string;
      readonly status: string;
      readonly removedProperties: readonly string[];
      readonly aclUuid: string | null;
    }[];
    readonly overrides: readonly CrossedEvent[];
    readonly overriddenBy: readonly CrossedEvent[];
  }[];
  readonly _page: { readonly totalElements: number };
}

const greatest = 9_223_372_036_854_775_807n;

describe('changes of data records', () => {
  const { doors, leftovers } = setUpDoors();
  let dgs: Door;

  beforeAll(async () => {
    dgs = doors.dgs;
  }, 120_000);

  const newDomain = async (specification: Partial<VersionSpecification> = {}): Promise<string> => {
    const { domainName } = await createVersion(dgs, {
      name: uniqueName('changes'),
      domainType: 'SERVICE_DATA_STORE',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string', default: 'nobody' },
        size: { type: 'integer', minimum: 0 },
        home: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } } },
      },
      drKeyProperties: ['id'],
      ...specification,
    });
    return domainName;
  };
  const post = async (name: string, json: unknown): Promise<Entry> =>
    requireStatus(await dgs.rest<Entry>('POST', '/drs', { name, json }), 201).body;
  const get = async (uuid: string, query = ''): Promise<Entry> =>
    requireStatus(await dgs.rest<Entry>('GET', `/drs/${uuid}${query}`), 200).body;
  const patch = <Body = Entry>(uuid: string, json: unknown) => dgs.rest<Body>('PATCH', `/drs/${uuid}`, json);
  const remove = <Body = Deletion>(uuid: string, query = '') => dgs.rest<Body>('DELETE', `/drs/${uuid}${query}`);

  /** Two domains; the second one refers to the first. */
  const newPair = async (): Promise<readonly [artist: string, album: string]> => {
    const artist = await newDomain();
    const album = await newDomain({
      properties: {
        title: { type: 'string' },
        artist: { $ref: `/domains/${artist}:v1` },
        guests: { type: 'array', items: { $ref: `/domains/${artist}:v1` } },
      },
      drKeyProperties: ['title'],
    });
    return [artist, album];
  };

  describe('by PATCH', () => {
    it('are merged as in RFC 7396, returned, and visible at every door', async () => {
      const name = await newDomain();
      const { uuid } = await post(name, { id: 1, name: 'Ada', size: 3, home: { city: 'Köln', zip: '50667' } });
      const answer = requireStatus(await patch(uuid, { name: null, size: greatest, home: { zip: null } }), 200);
      expect(answer.body).toMatchObject({ uuid, drKey: { id: 1 } });
      expect(answer.body.json).toEqual({ id: 1, name: 'nobody', size: greatest, home: { city: 'Köln' } });
      expect(await get(uuid)).toEqual(answer.body);
      const { body } = await dgs.graphql<Record<string, { data: { size: bigint }[] }>>(
        `{ dr_${name}_1 { data { size } } }`,
      );
      expect(body.data?.[`dr_${name}_1`]?.data).toEqual([{ size: greatest }]);
    });

    it('are accepted with the media type application/merge-patch+json', async () => {
      const name = await newDomain();
      const { uuid } = await post(name, { id: 1, size: 3 });
      const send = (method: string, path: string) =>
        dgs.call<Entry>(`/api/drs${path}`, {
          method,
          headers: { 'content-type': 'application/merge-patch+json' },
          text: '{"size": null}',
        });
      expect(requireStatus(await send('PATCH', `/${uuid}`), 200).body.json).toEqual({ id: 1, name: 'nobody' });
      expectProblem(await send('POST', ''), { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    });

    it('have the same effect in GraphQL and in REST', async () => {
      const name = await newDomain();
      const { uuid } = await post(name, { id: 1, size: 3 });
      const mutation = `mutation ($drUuid: Uuid!, $patch: Json!) {
        patchDataRecord(drUuid: $drUuid, patch: $patch) { uuid json } }`;
      const { body } = await dgs.graphql<{ patchDataRecord: { json: string } }>(mutation, {
        drUuid: uuid,
        patch: '{"size": 4}',
      });
      expect(JSON.parse(body.data?.patchDataRecord.json ?? '')).toEqual({ id: 1, name: 'nobody', size: 4 });
      const refused = await dgs.graphql(mutation, { drUuid: uuid, patch: '{"size": -1}' });
      expect(refused.body.errors?.[0]?.extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ pointer: '/size' }],
      });
    });

    it('compare If-Match with the tag that was read', async () => {
      const name = await newDomain();
      const { uuid } = await post(name, { id: 1 });
      const read = await dgs.rest<Entry>('GET', `/drs/${uuid}`);
      const send = (method: string, json?: unknown) =>
        dgs.call<unknown>(`/api/drs/${uuid}`, { method, headers: { 'if-match': String(read.headers['etag']) }, json });
      requireStatus(await send('PATCH', { size: 1 }), 200);
      expectProblem(await send('PATCH', { size: 2 }), { status: 412, code: 'PRECONDITION_FAILED' });
      expectProblem(await send('DELETE'), { status: 412, code: 'PRECONDITION_FAILED' });
      expect((await get(uuid)).json).toMatchObject({ size: 1 });
    });

    it('can change a DR Key to a free one', async () => {
      const name = await newDomain();
      const [one, two] = [await post(name, { id: 1 }), await post(name, { id: 2 })];
      const taken = expectProblem(await patch<unknown>(one.uuid, { id: 2 }), { status: 409, code: 'DUPLICATE_DR_KEY' });
      expect(taken).toHaveProperty('uuid', two.uuid);
      expect(requireStatus(await patch(one.uuid, { id: 3 }), 200).body.drKey).toEqual({ id: 3 });
      await post(name, { id: 1 });
    });

    it('are refused with every fault, and change nothing', async () => {
      const name = await newDomain();
      const { uuid } = await post(name, { id: 1, size: 3 });
      expectProblem(await patch<unknown>(uuid, { size: -1, home: { city: 1, street: 'x' }, other: true }), {
        status: 400,
        code: 'VALIDATION_FAILED',
        pointers: ['/size', '/home/city', '/home/street', '/other'],
      });
      expectProblem(await patch<unknown>(uuid, ['x']), { status: 400, code: 'VALIDATION_FAILED' });
      expectProblem(await patch<unknown>(uuid, { id: null }), {
        status: 400,
        code: 'VALIDATION_FAILED',
        pointers: ['/id'],
      });
      expect((await get(uuid)).json).toEqual({ id: 1, name: 'nobody', size: 3 });
      expectProblem(await patch<unknown>(nobody, { size: 1 }), { status: 404, code: 'NOT_FOUND' });
    });

    it('are refused for federated records', async () => {
      const name = await newDomain({ domainType: 'FEDERATED' });
      const { uuid } = await post(name, { id: 1 });
      expectProblem(await patch<unknown>(uuid, { size: 1 }), { status: 400, code: 'FEDERATED_RECORD' });
    });
  });

  it('are refused for an inactive domain, but deletion is not', async () => {
    const { domainUuid, domainName: name } = await createVersion(dgs, {
      name: uniqueName('closed'),
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const { uuid } = await post(name, { id: 1 });
    const domain = requireStatus(await dgs.rest('GET', `/domains/${domainUuid}`), 200).body;
    const { changeVersion } = domain;
    requireStatus(await dgs.rest('PATCH', `/domains/${domainUuid}`, { active: false, changeVersion }), 200);
    expectProblem(await dgs.rest<unknown>('POST', '/drs', { name, json: { id: 2 } }), {
      status: 409,
      code: 'DOMAIN_INACTIVE',
    });
    expectProblem(await patch<unknown>(uuid, { id: 2 }), { status: 409, code: 'DOMAIN_INACTIVE' });
    requireStatus(await remove(uuid), 204);
  });

  describe('with references', () => {
    it('are shown expanded, as keys and as links', async () => {
      const [artist, album] = await newPair();
      const one = await post(artist, { id: 1, name: 'One' });
      const two = await post(artist, { id: 2, name: 'Two' });
      const posted = await post(album, {
        title: 'Both',
        artist: { $ref: `/drs/${one.uuid}` },
        guests: [{ $ref: `/domains/${artist}:v1?id=2` }, 1],
      });
      const nested = { title: 'Both', artist: { id: 1, name: 'One' }, guests: [two.json, one.json] };
      expect(posted.json).toEqual(nested);
      expect(await get(posted.uuid)).toEqual(posted);
      const keyed = { title: 'Both', artist: 1, guests: [2, 1] };
      expect((await get(posted.uuid, '?options=expandRefs:false')).json).toEqual(keyed);
      const list = await dgs.rest<{ drs: Entry[] }>('GET', `/drs?filters=name:${album}&options=expandRefs:false`);
      expect(requireStatus(list, 200).body.drs.map(({ json }) => json)).toEqual([keyed]);
      const all = await dgs.rest<{ drs: Entry[] }>('GET', `/drs?filters=name:${album}`);
      expect(requireStatus(all, 200).body.drs.map(({ json }) => json)).toEqual([nested]);

      const linked = await get(posted.uuid, '?options=refs:true,includeJson:false');
      expect(linked).not.toHaveProperty('json');
      expect(linked._refs?.map(({ property }) => property)).toEqual(['artist', 'guests', 'guests']);
      for (const { href } of linked._refs ?? []) {
        expect([one.uuid, two.uuid]).toContain((await dgs.call<Entry>(href)).body.uuid);
      }
      expectProblem(await dgs.rest<unknown>('GET', `/drs/${posted.uuid}?options=expand:true`), {
        status: 400,
        code: 'INVALID_PARAMETER',
      });
    });

    it('are joined in GraphQL, regardless of the posted form', async () => {
      const [artist, album] = await newPair();
      const { uuid } = await post(artist, { id: 1, name: 'One' });
      await post(album, { title: 'a', artist: 1 });
      await post(album, { title: 'b', artist: { $ref: `/drs/${uuid}` } });
      await post(album, { title: 'c', artist: { $ref: `/domains/${artist}:v1?id=1` } });
      requireStatus(await patch(uuid, { id: 9 }), 200);
      const { body } = await dgs.graphql<Record<string, { data: { artist: { id: number } }[] }>>(
        `{ dr_${album}_1(sort: "title") { data { artist { id } } } }`,
      );
      expect(body.data?.[`dr_${album}_1`]?.data).toEqual(Array.from({ length: 3 }, () => ({ artist: { id: 9 } })));
    });

    it('are refused when they refer to no record', async () => {
      const [artist, album] = await newPair();
      const { uuid } = await post(artist, { id: 1 });
      const { uuid: stranger } = await post(album, { title: 'of another domain' });
      const json = { title: 'x', artist: { $ref: `/drs/${stranger}` }, guests: [1, 2, { $ref: `/drs/${nobody}` }] };
      expectProblem(await dgs.rest<unknown>('POST', '/drs', { name: album, json }), {
        status: 400,
        code: 'UNKNOWN_REFERENCE',
        pointers: ['/json/artist', '/json/guests/1', '/json/guests/2'],
      });
      expectProblem(await patch<unknown>(stranger, { artist: 2 }), {
        status: 400,
        code: 'UNKNOWN_REFERENCE',
        pointers: ['/artist'],
      });
      requireStatus(await patch(stranger, { artist: 1 }), 200);
      expectProblem(await remove<unknown>(uuid), { status: 409, code: 'IN_USE' });
      requireStatus(await remove(stranger), 204);
      requireStatus(await remove(uuid), 204);
      expectProblem(await dgs.rest<unknown>('GET', `/drs/${uuid}`), { status: 404, code: 'NOT_FOUND' });
      expectProblem(await remove<unknown>(uuid), { status: 404, code: 'NOT_FOUND' });
    });
  });

  describe('at adaptors', () => {
    interface Source extends CreatedAdaptor {
      readonly got: IncomingEvent[];
      report(json: Readonly<Record<string, number>>): Promise<unknown>;
    }

    interface SourceBehaviour {
      readonly zone?: string;
      /** Events that the source fails on. */
      readonly fails?: (event: IncomingEvent) => boolean;
      /** Condition that the source waits for before it has applied an event. */
      readonly waits?: (event: IncomingEvent) => Promise<void>;
    }

    /** An adaptor that records the events that it receives. */
    const startSource = async (domain: string, behaviour: SourceBehaviour = {}): Promise<Source> => {
      const { zone = doors.root, fails = () => false, waits = () => Promise.resolve() } = behaviour;
      const adaptor = await createAdaptor(dgs, zone, { name: uniqueName('source'), capabilities: allActions(domain) });
      const got: IncomingEvent[] = [];
      const running = await startSourceAdaptor(leftovers, doors.service, adaptor, {
        apply: async (event) => {
          got.push(event);
          if (fails(event)) throw new Error('the source will not have it');
          await waits(event);
        },
      });
      await eventually(async () => {
        expect((await dgs.rest('GET', `/zones/${zone}/adaptors/${adaptor.uuid}`)).body['state']).toBe('STARTED');
      });
      return {
        ...adaptor,
        got,
        report: (json) => running.publish({ action: 'POST', domain, version: 1, json }),
      };
    };
    const eventsOf = async (uuid: string): Promise<Events> =>
      requireStatus(await dgs.rest<Events>('GET', `/drs/${uuid}/data-events`), 200).body;
    const recordOf = async (name: string): Promise<string> =>
      eventually(async () => {
        const { body } = await dgs.rest<{ drs: Entry[] }>('GET', `/drs?filters=name:${name}`);
        expect(body.drs.length).toBeGreaterThan(0);
        return body.drs[0]?.uuid ?? '';
      });
    const linked = (uuid: string, { uuid: adaptorUuid }: CreatedAdaptor, status: number) =>
      eventually(async () => {
        const answer = await dgs.rest<unknown>('GET', `/drs/${uuid}/adaptor/${adaptorUuid}/check`);
        if (answer.status !== status) throw new Error(`the link is answered with ${answer.status}`);
      });

    it('are sent to adaptors when made in the data store (POST, PUT and DELETE), and are reported as data events', async () => {
      const [artist, album] = await newPair();
      await post(artist, { id: 5 });
      const source = await startSource(album);
      const { uuid } = await post(album, { title: 'Sent', artist: 5 });
      await linked(uuid, source, 200);
      requireStatus(await patch(uuid, { guests: [5] }), 200);
      requireStatus(await remove(uuid), 204);
      await eventually(() => expect(source.got).toHaveLength(3));
      expect(source.got.map(({ action }) => action)).toEqual(['POST', 'PUT', 'DELETE']);
      await eventually(async () => {
        const { dataEvents, _page } = await eventsOf(uuid);
        expect(_page.totalElements).toBe(3);
        expect(dataEvents.map(({ action }) => action)).toEqual(['DELETE', 'PUT', 'POST']);
        for (const event of dataEvents) {
          expect(event).toEqual({
            uuid: expect.any(String),
            transactionUuid: expect.any(String),
            action: expect.any(String),
            matchStatus: expect.any(String),
            sourceAdaptorUuid: null,
            createTime: expect.any(Number),
            drKey: { title: 'Sent' },
            destinations: [{ adaptorUuid: source.uuid, status: 'APPLIED', removedProperties: [], aclUuid: null }],
            overrides: [],
            overriddenBy: [],
          });
        }
      });
      await linked(uuid, source, 404);
    });

    it('are FAILED if an adaptor cannot handle them', async () => {
      const name = await newDomain();
      await startSource(name, { fails: () => true });
      const { uuid } = await post(name, { id: 1 });
      await eventually(async () => {
        const { dataEvents } = await eventsOf(uuid);
        expect(dataEvents.flatMap(({ destinations }) => destinations.map(({ status }) => status))).toEqual(['FAILED']);
      });
    });

    it('are resolved to the last committed one when they cross, and show which one that was', async () => {
      const name = await newDomain({ domainType: 'FEDERATED' });
      let apply = (): void => undefined;
      const applied = new Promise<void>((resolve) => {
        apply = resolve;
      });
      const one = await startSource(name);
      const two = await startSource(name, { waits: async ({ action }) => (action === 'PUT' ? applied : undefined) });
      await one.report({ id: 1, size: 1 });
      const uuid = await recordOf(name);
      await linked(uuid, two, 200);
      await one.report({ id: 1, size: 2 });
      await eventually(() => expect(two.got).toHaveLength(2));
      await two.report({ id: 1, size: 3 });
      await eventually(async () => {
        const { dataEvents } = await eventsOf(uuid);
        expect(dataEvents).toHaveLength(3);
        const [winner, loser] = dataEvents;
        expect(winner?.overrides).toEqual([
          { eventUuid: loser?.uuid, sourceAdaptorUuid: one.uuid, properties: ['size'] },
        ]);
        expect(loser?.overriddenBy).toEqual([
          { eventUuid: winner?.uuid, sourceAdaptorUuid: two.uuid, properties: ['size'] },
        ]);
      });
      apply();
      await eventually(() =>
        expect([one, two].map(({ got }) => got.at(-1)?.json)).toMatchObject([{ size: 3 }, { size: 3 }]),
      );
      const metrics = await (await fetch(`${doors.service.baseUrl}/metrics`)).text();
      expect(metrics).toMatch(/^fds_crossing_events_total\{outcome="overrode"\} [1-9]/mu);
    });

    it('delete a federated record at all its sources, or at the named ones', async () => {
      const name = await newDomain({ domainType: 'FEDERATED' });
      const [one, two] = [await startSource(name), await startSource(name)];
      await one.report({ id: 1 });
      const uuid = await recordOf(name);
      await linked(uuid, two, 200);
      const answer = requireStatus(await remove(uuid, `?adaptorUuids=${two.uuid}`), 202);
      expect(answer.body.adaptors).toEqual([{ adaptorUuid: two.uuid, status: 'QUEUED' }]);
      await linked(uuid, two, 404);
      expect(two.got.at(-1)).toMatchObject({ action: 'DELETE', transactionUuid: answer.body.transactionUuid });
      await linked(uuid, one, 200);
      expectProblem(await remove<unknown>(uuid, `?adaptorUuids=${two.uuid}`), {
        status: 400,
        code: 'INVALID_PARAMETER',
        pointers: ['adaptorUuids'],
      });
      expect(requireStatus(await remove(uuid), 202).body.adaptors).toEqual([
        { adaptorUuid: one.uuid, status: 'QUEUED' },
      ]);
      await eventually(async () => expect((await dgs.rest('GET', `/drs/${uuid}`)).status).toBe(404));
      expect((await eventsOf(uuid)).dataEvents.map(({ action }) => action)).toEqual(['DELETE', 'DELETE', 'POST']);
    });

    it('delete nothing if the ACLs deny it', async () => {
      const { admin, root } = doors;
      const zone = requireStatus(
        await admin.rest('POST', `/zones/${root}/child-zones`, { name: uniqueName('away') }),
        201,
      ).body.uuid;
      const name = await newDomain({ domainType: 'FEDERATED' });
      const source = await startSource(name, { zone });
      await source.report({ id: 1 });
      const uuid = await recordOf(name);
      await linked(uuid, source, 200);
      const acl = requireStatus(await dgs.rest('POST', `/zones/${root}/outbound-acls`, { delete: 'DENY' }), 201);
      await eventually(async () => {
        expectProblem(await remove<unknown>(uuid, `?zoneUuid=${root}`), { status: 403, code: 'GOVERNANCE_DENIED' });
      });
      requireStatus(await dgs.rest('DELETE', `/zones/${root}/outbound-acls/${acl.body.uuid}`), 204);
      await linked(uuid, source, 200);
    });
  });
});
