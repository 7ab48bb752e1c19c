import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import mqtt from 'mqtt';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange } from '../../harness/exchange.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { doorOf, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

interface Assembled {
  readonly assembledDataRecords: readonly {
    readonly data: Readonly<Record<string, unknown>>;
    readonly provenance: Readonly<Record<string, { readonly adaptorUuid: string; readonly tier: string }>>;
  }[];
}

describe('adaptors that are connected', () => {
  const { doors, leftovers } = setUpDoors({ FDS_SECRET_GRACE_SECONDS: '0' });
  let domainVersionUuid: string;

  beforeAll(async () => {
    ({ domainVersionUuid } = await createVersion(doors.dgs, {
      name: 'preferred',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    }));
  }, 120_000);

  const stateOf = async ({ uuid }: CreatedAdaptor): Promise<unknown> =>
    requireStatus(await doors.dgs.rest('GET', `/zones/${doors.root}/adaptors/${uuid}`), 200).body['state'];

  /** A source with the record `1` and its own value for the city. */
  const startSource = async (name: string, city: string): Promise<CreatedAdaptor> => {
    const adaptor = await createAdaptor(doors.dgs, doors.root, { name, capabilities: allActions('preferred') });
    const running = await startSourceAdaptor(leftovers, doors.service, adaptor, {
      assemble: ({ records }) =>
        Promise.resolve({
          records: (records ?? []).map(({ drUuid, drKey }) => ({ drUuid, drKey, data: { id: '1', city } })),
        }),
    });
    await running.publish({ action: 'POST', domain: 'preferred', version: 1, json: { id: '1', city } });
    return adaptor;
  };

  it('are merged by the preferences of the requesting zone, also after these change', async () => {
    const { dgs, root, service } = doors;
    const [one, two] = [await startSource('one', 'Oslo'), await startSource('two', 'Turin')];
    const preferences = `/zones/${root}/settings/domain-version-adaptor-preferences`;
    const assemble = async (json: object = {}): Promise<readonly [city: unknown, from: unknown, tier: unknown]> => {
      const { body } = requireStatus(
        await exchange<Assembled>(`${service.assemblyUrl}/request`, {
          method: 'POST',
          token: dgs.token ?? '',
          json: { domain: 'preferred', drKeys: [{ id: '1' }], options: { provenance: true }, ...json },
        }),
        200,
      );
      const [record] = body.assembledDataRecords;
      const { adaptorUuid, tier } = record?.provenance['city'] ?? {};
      return [record?.data['city'], adaptorUuid, tier];
    };
    const prefer = async (adaptor: CreatedAdaptor, preferenceType: string): Promise<void> => {
      requireStatus(
        await dgs.rest('PUT', `${preferences}/${adaptor.uuid}`, { domainVersionUuid, preferenceType }),
        200,
      );
    };
    await eventually(async () => {
      for (const { uuid } of [one, two]) {
        const path = `/zones/${root}/adaptors/${uuid}?options=include-linkages:true`;
        expect((await dgs.rest('GET', path)).body).toMatchObject({ state: 'STARTED', linkageCount: 1 });
      }
    });
    await prefer(one, 'GOLD');
    expect(await assemble()).toEqual(['Oslo', one.uuid, 'GOLD']);
    await prefer(one, 'SILVER');
    await prefer(two, 'GOLD');
    expect(await assemble()).toEqual(['Turin', two.uuid, 'GOLD']);
    expect(await assemble({ adaptors: [one.uuid] })).toEqual(['Oslo', one.uuid, 'SILVER']);
    expect(await assemble({ goldAdaptors: [one.uuid], bronzeAdaptors: [two.uuid] })).toEqual([
      'Oslo',
      one.uuid,
      'GOLD',
    ]);
    await prefer(two, 'BRONZE');
    expect(await assemble()).toEqual(['Oslo', one.uuid, 'SILVER']);
  });

  it('are notified when the defaults of their type change, unless they have their own values', async () => {
    const { dgs, root } = doors;
    const type = requireStatus(
      await dgs.rest('POST', '/adaptor-types', { name: 'Told', defaultMetadata: { colour: 'red' } }),
      201,
    ).body;
    const adaptor = requireStatus(
      await dgs.rest<CreatedAdaptor & Resource>('POST', `/zones/${root}/adaptors`, {
        name: 'heir',
        adaptorTypeUuid: type.uuid,
      }),
      201,
    ).body;
    const told: AdaptorConfiguration[] = [];
    await startSourceAdaptor(leftovers, doors.service, adaptor, { configure: (it) => void told.push(it) });
    await eventually(() => expect(told.at(-1)?.metadata).toEqual({ colour: 'red' }));
    const defaults = {
      changeVersion: 1,
      defaultMetadata: '{"colour":"blue"}',
      defaultCapabilities: allActions('preferred'),
    };
    requireStatus(await dgs.rest('PATCH', `/adaptor-types/${type.uuid}`, defaults), 200);
    await eventually(() => expect(told.at(-1)).toMatchObject({ metadata: { colour: 'blue' } }));
    expect(told.at(-1)?.capabilities).toHaveLength(4);
    const own = { changeVersion: 1, metadata: { colour: 'green' } };
    requireStatus(await dgs.rest('PATCH', `/zones/${root}/adaptors/${adaptor.uuid}`, own), 200);
    await eventually(() => expect(told.at(-1)?.metadata).toEqual({ colour: 'green' }));
  });

  it('lose sessions, secret and tokens when a new secret is issued without grace', async () => {
    const { dgs, root, service } = doors;
    const adaptor = await createAdaptor(dgs, root, { name: 'renewed', capabilities: [] });
    const connect = (password: string) =>
      mqtt.connectAsync(service.busUrl.replace('tcp:', 'mqtt:'), {
        protocolVersion: 4,
        clientId: `${adaptor.uuid}-ops`,
        username: adaptor.clientId,
        password,
        reconnectPeriod: 0,
      });
    const first = await connect(adaptor.clientSecret);
    leftovers.add(() => first.endAsync(true));
    let ended = false;
    first.once('close', () => {
      ended = true;
    });
    const path = `/zones/${root}/adaptors/${adaptor.uuid}/registration`;
    const credentials = { baseUrl: service.baseUrl, username: adaptor.clientId, password: adaptor.clientSecret };
    const token = await getToken(credentials);
    const itself = doorOf(service, token);
    const own = `/zones/${root}/adaptors/${adaptor.uuid}`;
    requireStatus(await itself.rest('GET', own), 200);
    // issue times have whole seconds
    const second = Math.floor(Date.now() / 1000);
    await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(second));
    const { clientSecret } = requireStatus(await dgs.rest<CreatedAdaptor & Resource>('POST', path), 201).body;
    expect(clientSecret).not.toBe(adaptor.clientSecret);
    await eventually(() => expect(ended).toBe(true));
    await expect(connect(adaptor.clientSecret)).rejects.toMatchObject({ code: 4 });
    await expect(getToken(credentials)).rejects.toThrow('401');
    await eventually(async () => expect((await itself.rest('GET', own)).status).toBe(401));
    await expect(connect(token)).rejects.toMatchObject({ code: 4 });
    const again = await connect(clientSecret);
    await again.endAsync(true);
    expect((await dgs.rest('GET', path)).body).toMatchObject({ clientId: adaptor.uuid, clientSecret });
  });

  it('lose their sessions when they are deleted, softly or for ever', async () => {
    const { dgs, root } = doors;
    const adaptor = await createAdaptor(dgs, root, { name: 'leaving', capabilities: [] });
    const running = await startSourceAdaptor(leftovers, doors.service, adaptor, {});
    await eventually(async () => expect(await stateOf(adaptor)).toBe('STARTED'));
    requireStatus(await dgs.rest('DELETE', `/zones/${root}/adaptors/${adaptor.uuid}`), 204);
    await eventually(async () => expect(await stateOf(adaptor)).toBe('DOWN'));
    const { changeVersion } = (await dgs.rest('GET', `/zones/${root}/adaptors/${adaptor.uuid}`)).body;
    const back = { changeVersion, active: true };
    requireStatus(await dgs.rest('PATCH', `/zones/${root}/adaptors/${adaptor.uuid}`, back), 200);
    await eventually(async () => expect(await stateOf(adaptor)).toBe('STARTED'));
    requireStatus(await dgs.rest('DELETE', `/zones/${root}/adaptors/${adaptor.uuid}?force=true`), 204);
    expect((await dgs.rest('GET', `/zones/${root}/adaptors/${adaptor.uuid}`)).status).toBe(404);
    await running.stop();
  });
});
