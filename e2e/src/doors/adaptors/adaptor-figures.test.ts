import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { metricsText, seriesOf, sumOf } from '../metrics/read-metrics.js';
import { doorOf } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

const domain = 'figured';
const [few, many] = [20, 200];

interface Shown {
  readonly uuid: string;
  readonly queue: { readonly messageCount: number } | null;
  readonly openIssues: number | null;
  readonly lastMinutes: readonly { readonly date: string; readonly sent: number; readonly received: number }[] | null;
  readonly verified: readonly unknown[];
}

const query = `query Picture($zone: Uuid!, $size: Int!) {
  adaptors(zoneUuid: $zone, size: $size) { data {
    uuid queue { messageCount oldestMessageDate inFlightCount } openIssues
    lastMinutes(minutes: 30) { date sent received } verified { domainVersionUuid date }
  } }
}`;

describe('figures of many adaptors in one query', () => {
  const { doors, leftovers } = setUpDoors();
  let zone: string;
  let source: CreatedAdaptor;
  let destination: CreatedAdaptor;

  const ask = async (size: number, door = doors.dgs): Promise<readonly Shown[]> => {
    const answer = await door.graphql<{ readonly adaptors: { readonly data: readonly Shown[] } }>(query, {
      zone,
      size,
    });
    expect(answer.body.errors).toBeUndefined();
    return answer.body.data?.adaptors.data ?? [];
  };
  const shown = async (uuid: string, door = doors.dgs): Promise<Shown | undefined> =>
    (await ask(many + 10, door)).find((one) => one.uuid === uuid);
  /** Statements of the process that read. */
  const reads = async (): Promise<number> => {
    const series = seriesOf(await metricsText(doors.service));
    return ['reads', 'models', 'work', 'searches'].reduce(
      (sum, share) => sum + (sumOf(series, 'fds_db_wait_seconds_count', { share }) ?? 0),
      0,
    );
  };

  beforeAll(async () => {
    const { admin, dgs, root, service } = doors;
    zone = requireStatus(await admin.rest('POST', '/zones', { name: 'figures', parentZoneUuid: root }), 201).body.uuid;
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const capabilities = allActions(domain);
    source = await createAdaptor(dgs, zone, { name: 'source', capabilities });
    destination = await createAdaptor(dgs, zone, { name: 'away', capabilities });
    const running = await startSourceAdaptor(leftovers, service, source, {});
    for (const id of ['a', 'b']) await running.publish({ action: 'POST', domain, version: 1, json: { id, n: 1 } });
    await running.publish({ action: 'POST', domain, version: 1, json: { id: 'c', n: 'not a number' } });
    for (let count = 2; count < many; count += 1)
      await createAdaptor(dgs, zone, { name: `one of many ${count}`, capabilities: [] });
  }, 180_000);

  it('shows queue, open issues, last minutes and verifications', async () => {
    await eventually(async () => {
      expect(await shown(source.uuid)).toMatchObject({ queue: { messageCount: 0 }, openIssues: 1, verified: [] });
      expect(await shown(destination.uuid)).toMatchObject({
        queue: { messageCount: 2 },
        openIssues: 0,
        lastMinutes: [],
      });
    });
    // the adaptor is asked for its counts
    requireStatus(await doors.dgs.rest('GET', `/zones/${zone}/adaptors/${source.uuid}/metrics`), 200);
    await eventually(async () => {
      const minutes = (await shown(source.uuid))?.lastMinutes ?? [];
      expect(minutes.reduce((sum, { sent }) => sum + sent, 0)).toBe(3);
    });
  });

  it('reads as few times for 200 adaptors as for 20', async () => {
    const count = async (size: number): Promise<number> => {
      const before = await reads();
      expect(await ask(size)).toHaveLength(size);
      return (await reads()) - before;
    };
    await count(few);
    // the process reads for itself from time to time: the lowest of several counts
    const lowest = async (size: number): Promise<number> =>
      Math.min(await count(size), await count(size), await count(size));
    const [ofFew, ofMany] = [await lowest(few), await lowest(many)];
    expect(ofFew).toBeGreaterThan(0);
    expect(ofMany).toBeLessThanOrEqual(ofFew + 2);
    expect(ofMany).toBeLessThan(20);
  }, 60_000);

  it('shows null for figures that the caller may not read', async () => {
    const { admin, dgs, root, service } = doors;
    const account = { username: 'looker', serviceAccount: true };
    const {
      uuid: holderUuid,
      clientId,
      clientSecret,
    } = requireStatus(
      await admin.rest<{ readonly uuid: string; readonly clientId: string; readonly clientSecret: string }>(
        'POST',
        `/zones/${root}/users`,
        account,
      ),
      201,
    ).body;
    const permission = { action: 'GET', resource: `/zones/${zone}/adaptors`, holderType: 'USER', holderUuid };
    const permissions = `/zones/${root}/permissions`;
    const { zoneUserUuid } = (await dgs.rest<{ readonly zoneUserUuid: string }>('GET', '/permissions')).body;
    const giving = { action: 'POST', resource: permissions, holderType: 'USER', holderUuid: zoneUserUuid };
    requireStatus(await admin.rest('POST', permissions, giving), 201);
    requireStatus(await dgs.rest('POST', permissions, permission), 201);
    const { baseUrl } = service;
    const door = doorOf(service, await getToken({ baseUrl, username: clientId, password: clientSecret }));
    expect(await shown(source.uuid, door)).toMatchObject({ queue: null, openIssues: null, lastMinutes: null });
  });

  it.each([0, 241])('refuses %i minutes', async (minutes) => {
    const { body } = await doors.dgs.graphql(
      `{ adaptors(zoneUuid: "${zone}") { data { lastMinutes(minutes: ${minutes}) { sent } } } }`,
    );
    expect(body.errors?.[0]?.extensions.code).toBe('INVALID_PARAMETER');
  });
});
