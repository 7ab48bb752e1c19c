import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingEvent, RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

interface DryRun {
  readonly action: string;
  readonly drUuid: string | null;
  readonly matchStatus: string;
  readonly messages: readonly { readonly destinationAdaptorUuid: string; readonly jsonData: string }[];
  readonly denied: readonly { readonly chain: string; readonly aclUuid: string }[];
  readonly acls: readonly { readonly chain: string; readonly aclUuid: string; readonly result: string }[];
}

interface Counted {
  readonly aclUuid: string | null;
  readonly allowed: unknown;
  readonly denied: unknown;
  readonly lastMatched: unknown;
}

interface Metrics {
  readonly acls: readonly Counted[];
  readonly defaultPolicy: Counted;
}

describe('governed events', () => {
  const { doors, leftovers } = setUpDoors();
  let south: string;
  let domainVersionUuid: string;
  let source: CreatedAdaptor & { readonly running: RunningAdaptor };
  let destination: CreatedAdaptor;
  const got: IncomingEvent[] = [];

  beforeAll(async () => {
    const { admin, dgs, root, service } = doors;
    ({ domainVersionUuid } = await createVersion(dgs, {
      name: 'flow',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, name: { type: 'string' }, email: { type: 'string' } },
      drKeyProperties: ['id'],
    }));
    south = requireStatus(await admin.rest('POST', '/zones', { name: 'south', parentZoneUuid: root }), 201).body.uuid;
    const capabilities = allActions('flow');
    const [from, to] = [
      await createAdaptor(dgs, root, { name: 'source', capabilities }),
      await createAdaptor(dgs, south, { name: 'destination', capabilities }),
    ];
    destination = to;
    await startSourceAdaptor(leftovers, service, to, { apply: (event) => void got.push(event) });
    source = { ...from, running: await startSourceAdaptor(leftovers, service, from, {}) };
    await eventually(async () => {
      for (const [zone, { uuid }] of [[root, from] as const, [south, to] as const]) {
        expect((await dgs.rest('GET', `/zones/${zone}/adaptors/${uuid}`)).body['state']).toBe('STARTED');
      }
    });
  }, 120_000);

  type Json = Readonly<Record<string, string>>;
  const publish = (action: 'POST' | 'DELETE', json: Json): Promise<unknown> =>
    source.running.publish({
      action,
      domain: 'flow',
      version: 1,
      ...(action === 'DELETE' ? { drKey: json } : { json }),
    });
  const gotOf = (id: string): unknown[] =>
    got
      .filter(({ drKeyValues, json }) => drKeyValues[0] === id || json['id'] === id)
      .map(({ action, json }) => [action, json]);
  const dryRun = async (action: string, json: Json): Promise<DryRun> =>
    requireStatus(
      await doors.dgs.rest<DryRun>('POST', `/zones/${doors.root}/acls/dry-run`, {
        action,
        sourceZoneUuid: doors.root,
        sourceAdaptorUuid: source.uuid,
        domainVersionUuid,
        jsonData: JSON.stringify(json),
        transactionId: null,
      }),
      200,
    ).body;
  const add = async (path: string, entry: object): Promise<Resource> =>
    requireStatus(await doors.dgs.rest('POST', path, entry), 201).body;
  const remove = async (path: string, { uuid }: Resource): Promise<void> => {
    requireStatus(await doors.dgs.rest('DELETE', `${path}/${uuid}`), 204);
  };
  /** Waits until the routing part knows the chains, as the dry-run shows. */
  const untilDenied = (chain: string, json: Json, action = 'POST'): Promise<void> =>
    eventually(async () => {
      expect((await dryRun(action, json)).denied.map((denial) => denial.chain)).toEqual([chain]);
    });
  const untilAllowed = (json: Json): Promise<void> =>
    eventually(async () => expect((await dryRun('POST', json)).messages).toHaveLength(1));

  it('reach others without denied properties, and a move of an entry takes effect', async () => {
    const chain = `/zones/${doors.root}/outbound-acls`;
    const deny = await add(chain, { post: 'DENY', put: 'DENY', properties: ['Email'] });
    const whole = { id: 'p', name: 'Ada', email: 'ada@example.com' };
    await eventually(async () =>
      expect(await dryRun('POST', whole)).toEqual({
        action: 'POST',
        drUuid: null,
        matchStatus: 'PRESUMED_NEW',
        messages: [
          {
            destinationZoneUuid: south,
            destinationAdaptorUuid: destination.uuid,
            action: 'POST',
            jsonData: JSON.stringify({ id: 'p', name: 'Ada' }),
            removedProperties: ['email'],
          },
        ],
        denied: [],
        acls: [
          {
            chain: 'OUTBOUND',
            aclUuid: deny.uuid,
            position: 0,
            destinationAdaptorUuid: destination.uuid,
            result: 'DENY',
            properties: ['email'],
          },
        ],
      }),
    );
    await publish('POST', whole);
    await eventually(() => expect(gotOf('p')).toEqual([['POST', { id: 'p', name: 'Ada' }]]));

    const allow = await add(`${chain}?append=true`, { post: 'ALLOW', put: 'ALLOW' });
    const moved = { changeVersion: 1, position: 0 };
    requireStatus(await doors.dgs.rest('PATCH', `${chain}/${allow.uuid}`, moved), 200);
    const other = { id: 'q', name: 'Eve', email: 'eve@example.com' };
    await eventually(async () => {
      expect((await dryRun('POST', other)).messages[0]?.jsonData).toBe(JSON.stringify(other));
    });
    await publish('POST', other);
    await eventually(() => expect(gotOf('q')).toEqual([['POST', other]]));
    const { outbound, inbound } = requireStatus(
      await doors.dgs.rest<{ inbound: Metrics; outbound: Metrics }>('GET', `/zones/${doors.root}/acls/metrics`),
      200,
    ).body;
    const seen: unknown = expect.any(Number);
    expect(outbound.acls).toEqual([
      { aclUuid: allow.uuid, position: 0, allowed: 1, denied: 0, lastMatched: seen },
      { aclUuid: deny.uuid, position: 1, allowed: 0, denied: 1, lastMatched: seen },
    ]);
    expect(outbound.defaultPolicy).toEqual({ aclUuid: null, position: null, allowed: 1, denied: 0, lastMatched: seen });
    expect(inbound).toMatchObject({ acls: [], defaultPolicy: { allowed: 0, denied: 0, lastMatched: null } });
    const southern = await doors.dgs.rest<{ inbound: Metrics }>('GET', `/zones/${south}/acls/metrics`);
    expect(southern.body.inbound.defaultPolicy).toMatchObject({ allowed: 2, denied: 0 });
    for (const entry of [deny, allow]) await remove(chain, entry);
  });

  it('do not arrive with a denied action or a denied record, while other events do', async () => {
    const chain = `/zones/${south}/inbound-acls`;
    const deny = await add(chain, { delete: 'DENY', sourceAdaptorUuid: source.uuid });
    await untilAllowed({ id: 'a', name: 'A' });
    await publish('POST', { id: 'a', name: 'A' });
    await eventually(() => expect(gotOf('a')).toHaveLength(1));
    await untilDenied('INBOUND', { id: 'a' }, 'DELETE');
    await publish('DELETE', { id: 'a' });
    await publish('POST', { id: 'b', name: 'B' });
    await eventually(() => expect(gotOf('b')).toHaveLength(1));
    expect(gotOf('a')).toEqual([['POST', { id: 'a', name: 'A' }]]);
    await remove(chain, deny);

    const record = (await dryRun('POST', { id: 'b', name: 'C' })).drUuid;
    const attached = await add(chain, { put: 'DENY', post: 'DENY', active: false });
    requireStatus(await doors.dgs.rest('POST', `${chain}/${attached.uuid}/drs`, [record]), 201);
    requireStatus(await doors.dgs.rest('PATCH', `${chain}/${attached.uuid}`, { changeVersion: 2, active: true }), 200);
    await untilDenied('INBOUND', { id: 'b', name: 'C' });
    await publish('POST', { id: 'b', name: 'C' });
    await publish('POST', { id: 'c', name: 'C' });
    await eventually(() => expect(gotOf('c')).toHaveLength(1));
    expect(gotOf('b')).toEqual([['POST', { id: 'b', name: 'B' }]]);
    await remove(chain, attached);
  });

  it('wait when the operational chain denies them while others pass, and continue in order when it allows them', async () => {
    const { dgs } = doors;
    const entries = '/operational-acls/entries';
    const deny = await add(entries, { post: 'DENY', sourceAdaptorUuid: source.uuid, domainVersionUuid });
    await untilDenied('OPERATIONAL', { id: 'new', name: '1' });
    expect(await dryRun('POST', { id: 'new', name: '1' })).toMatchObject({
      drUuid: null,
      matchStatus: 'PRESUMED_NEW',
      messages: [],
      denied: [{ destinationAdaptorUuid: null, aclUuid: deny.uuid, chain: 'OPERATIONAL' }],
    });
    await publish('POST', { id: 'new', name: '1' });
    await publish('POST', { id: 'new', name: '2' });
    // a change of a known record is not a creation
    await publish('POST', { id: 'c', name: 'changed' });
    await eventually(() => expect(gotOf('c').at(-1)).toEqual(['PUT', { id: 'c', name: 'changed' }]));
    expect(gotOf('new')).toEqual([]);
    const metrics = await dgs.rest<Metrics>('GET', '/operational-acls/metrics');
    expect(metrics.body).toMatchObject({ acls: [{ aclUuid: deny.uuid, allowed: 0, denied: 1 }] });

    await remove(entries, deny);
    // until the destination has reported its link, a change is a POST
    const namesOf = (id: string): unknown[] =>
      got.filter(({ drKeyValues }) => drKeyValues[0] === id).map(({ json }) => json['name']);
    await eventually(() => expect(namesOf('new')).toEqual(['1', '2']));
    await publish('POST', { id: 'new', name: '3' });
    await eventually(() => expect(namesOf('new')).toEqual(['1', '2', '3']));

    const denyDeletion = await add(entries, { delete: 'DENY' });
    await untilDenied('OPERATIONAL', { id: 'new' }, 'DELETE');
    await publish('DELETE', { id: 'new' });
    await publish('POST', { id: 'late', name: 'L' });
    await eventually(() => expect(gotOf('late')).toHaveLength(1));
    expect(gotOf('new')).toHaveLength(3);
    const changed = { changeVersion: 1, delete: 'ALLOW' };
    requireStatus(await dgs.rest('PATCH', `${entries}/${denyDeletion.uuid}`, changed), 200);
    await eventually(() => expect(gotOf('new').at(-1)).toEqual(['DELETE', {}]));
    expect(gotOf('new')).toHaveLength(4);
    await remove(entries, denyDeletion);
  });
});
