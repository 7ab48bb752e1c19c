import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { setUpDoors } from '../set-up-doors.js';

interface Destination {
  readonly adaptorUuid: string | null;
  readonly status: string;
  readonly aclUuid: string | null;
  readonly removedProperties: readonly string[];
}
interface History {
  readonly dataEvents: readonly {
    readonly action: string;
    readonly sourceAdaptorUuid: string | null;
    readonly destinations: readonly Destination[];
  }[];
}
interface Counts {
  readonly aclUuid: string | null;
  readonly allowed: number;
  readonly denied: number;
}

const domain = 'deposit';

describe('the store of the zone that owns the domain', () => {
  const { doors, leftovers } = setUpDoors();
  let domainVersionUuid: string;
  let foreignZone: string;
  let created: CreatedAdaptor;
  let source: RunningAdaptor;
  let record: string;

  beforeAll(async () => {
    const { dgs, admin, root, service } = doors;
    ({ domainVersionUuid } = await createVersion(dgs, {
      name: domain,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' }, name: { type: 'string' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    }));
    const zone = { name: 'deposit-foreign', parentZoneUuid: root };
    foreignZone = requireStatus(await admin.rest('POST', '/zones', zone), 201).body.uuid;
    created = await createAdaptor(dgs, foreignZone, { name: 'foreign', capabilities: allActions(domain) });
    source = await startSourceAdaptor(leftovers, service, created, {});
    const json = { id: 'D-1', name: 'Ada', city: 'London' };
    record = requireStatus(await dgs.rest('POST', '/drs', { name: domain, json }), 201).body.uuid;
  }, 120_000);

  const deny = async (entry: object): Promise<string> =>
    requireStatus(
      await doors.dgs.rest('POST', `/zones/${doors.root}/inbound-acls`, {
        sourceZoneUuid: foreignZone,
        domainVersionUuid,
        ...entry,
      }),
      201,
    ).body.uuid;
  const remove = async (aclUuid: string): Promise<unknown> =>
    requireStatus(await doors.dgs.rest('DELETE', `/zones/${doors.root}/inbound-acls/${aclUuid}`), 204);
  const stored = async (): Promise<unknown> =>
    requireStatus(await doors.dgs.rest<{ json: unknown }>('GET', `/drs/${record}`), 200).body.json;
  const lastOfSource = async () => {
    const { body } = requireStatus(await doors.dgs.rest<History>('GET', `/drs/${record}/data-events`), 200);
    return body.dataEvents.find(({ sourceAdaptorUuid }) => sourceAdaptorUuid === created.uuid);
  };
  const storeOf = async () => (await lastOfSource())?.destinations.find(({ adaptorUuid }) => adaptorUuid === null);

  it('denies a change and a deletion by its inbound chain, and shows both in history, metrics and dry-run', async () => {
    const aclUuid = await deny({ post: 'DENY', put: 'DENY', delete: 'DENY' });
    const changed = { id: 'D-1', name: 'Mallory', city: 'London' };
    await source.publish({ action: 'PUT', domain, version: 1, json: changed });
    await eventually(async () => expect((await lastOfSource())?.action).toBe('PUT'));
    const denied = { adaptorUuid: null, status: 'DENIED', aclUuid, removedProperties: [] };
    expect((await lastOfSource())?.destinations).toEqual([denied]);
    await source.publish({ action: 'DELETE', domain, version: 1, drKey: { id: 'D-1' } });
    await eventually(async () => expect((await lastOfSource())?.action).toBe('DELETE'));
    expect(await storeOf()).toEqual(denied);
    expect(await stored()).toEqual({ id: 'D-1', name: 'Ada', city: 'London' });

    const { body } = requireStatus(
      await doors.dgs.rest<{ inbound: { acls: readonly Counts[] } }>('GET', `/zones/${doors.root}/acls/metrics`),
      200,
    );
    expect(body.inbound.acls.find((each) => each.aclUuid === aclUuid)).toMatchObject({ allowed: 0, denied: 2 });

    const input = {
      action: 'PUT',
      sourceAdaptorUuid: created.uuid,
      domainVersionUuid,
      jsonData: JSON.stringify(changed),
    };
    const dryRun = await doors.dgs.rest('POST', `/zones/${doors.root}/acls/dry-run`, input);
    expect(requireStatus(dryRun, 200).body).toMatchObject({
      messages: [],
      denied: [{ destinationAdaptorUuid: null, aclUuid, chain: 'INBOUND' }],
      acls: [{ chain: 'INBOUND', aclUuid, destinationAdaptorUuid: null, result: 'DENY' }],
    });
    await remove(aclUuid);
  });

  it('takes a change without the properties that its chain denies', async () => {
    const aclUuid = await deny({ put: 'DENY', properties: ['name'] });
    const changed = { id: 'D-1', name: 'Mallory the Second', city: 'Paris' };
    const input = {
      action: 'PUT',
      sourceAdaptorUuid: created.uuid,
      domainVersionUuid,
      jsonData: JSON.stringify(changed),
    };
    const dryRun = await doors.dgs.rest('POST', `/zones/${doors.root}/acls/dry-run`, input);
    expect(requireStatus(dryRun, 200).body).toMatchObject({
      messages: [
        {
          destinationZoneUuid: doors.root,
          destinationAdaptorUuid: null,
          action: 'PUT',
          jsonData: JSON.stringify({ id: 'D-1', city: 'Paris' }),
          removedProperties: ['name'],
        },
      ],
      denied: [],
    });
    await source.publish({ action: 'PUT', domain, version: 1, json: changed });
    await eventually(async () => expect(await stored()).toEqual({ id: 'D-1', name: 'Ada', city: 'Paris' }));
    expect(await storeOf()).toEqual({
      adaptorUuid: null,
      status: 'APPLIED',
      aclUuid: null,
      removedProperties: ['name'],
    });
    await remove(aclUuid);
  });

  it('takes everything without an entry', async () => {
    await source.publish({ action: 'PUT', domain, version: 1, json: { id: 'D-1', name: 'Grace', city: 'Paris' } });
    await eventually(async () => expect(await stored()).toEqual({ id: 'D-1', name: 'Grace', city: 'Paris' }));
    expect(await storeOf()).toEqual({ adaptorUuid: null, status: 'APPLIED', aclUuid: null, removedProperties: [] });
  });
});
