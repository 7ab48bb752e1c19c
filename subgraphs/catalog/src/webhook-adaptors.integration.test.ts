import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createSealer, deploymentKeyBytes } from '@fds/auth';
import { createHostedAdaptors, type HostedAdaptors } from './store/adaptors/hosted-adaptors.js';
import { listIn, openCatalog, type Answer, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
let hosted: HostedAdaptors;
let webhookType: string;
let z: string;

beforeAll(async () => {
  const sealer = createSealer(randomBytes(deploymentKeyBytes));
  catalog = await openCatalog({ sealer });
  hosted = createHostedAdaptors({ database: catalog.database, sealer });
  z = catalog.rootZoneUuid;
  const types = await catalog.run('{ adaptorTypes(name: "Web Hook Adaptor") { data { uuid name } } }');
  webhookType = listIn<{ uuid: string; name: string }>(types, 'adaptorTypes')[0]?.uuid ?? '';
});
afterAll(() => catalog?.close());

const create = (metadata: unknown, capabilities: unknown = []): Promise<Answer> =>
  catalog.run('mutation($z: Uuid!, $i: AdaptorInput!) { a: createAdaptor(zoneUuid: $z, input: $i) { clientId } }', {
    z,
    i: { name: 'hook', adaptorTypeUuid: webhookType, metadata, capabilities },
  });
const created = async (metadata: unknown = { url: 'https://example.org/hook' }): Promise<string> =>
  String((await create(metadata)).data['a']?.['clientId']);
const patch = (a: string, input: object): Promise<Answer> =>
  catalog.run(
    'mutation($z: Uuid!, $a: Uuid!, $i: AdaptorInput!) { a: patchAdaptor(zoneUuid: $z, adaptorUuid: $a, input: $i) { state changeVersion } }',
    { z, a, i: input },
  );
const read = async (a: string) =>
  (
    await catalog.run(
      'query($z: Uuid!, $a: Uuid!) { a: adaptor(zoneUuid: $z, adaptorUuid: $a) { state stateMessage metadata } }',
      { z, a },
    )
  ).data['a'];

describe('a webhook adaptor', () => {
  it.each([
    [null, ['/metadata/url REQUIRED']],
    [{}, ['/metadata/url REQUIRED']],
    [{ url: 'nonsense' }, ['/metadata/url INVALID_VALUE']],
    [{ url: 'http://127.0.0.1:8080/' }, ['/metadata/url INVALID_VALUE']],
    [{ url: 'http://0x7f.1/' }, ['/metadata/url INVALID_VALUE']],
    [{ url: 'http://169.254.169.254/' }, ['/metadata/url INVALID_VALUE']],
    [{ url: 'https://ada:enigma@example.org/' }, ['/metadata/url INVALID_VALUE']],
    [{ url: 'https://example.org', secret: 'enigma' }, ['/metadata/secret WRONG_FORMAT']],
    [{ url: 'https://example.org', other: 1 }, ['/metadata/other UNKNOWN_PROPERTY']],
    [
      {
        url: 'https://example.org',
        oauth2Registration: { issuerUri: 'http://10.0.0.1', clientId: 'a', clientSecret: 'b' },
      },
      ['/metadata/oauth2Registration/issuerUri INVALID_VALUE'],
    ],
  ])('is refused with the metadata %j', async (metadata, causes) => {
    const answer = await create(metadata);
    expect([answer.code, answer.causes]).toEqual(['VALIDATION_FAILED', causes]);
    expect(JSON.stringify(answer)).not.toContain('enigma');
  });

  it('does not answer questions, so it cannot have the capability GET', async () => {
    const capability = { domainName: 'person', versionNumber: 1, action: 'GET' };
    expect((await create({ url: 'https://example.org' }, [capability])).causes).toEqual([
      '/capabilities/0/action UNKNOWN_VALUE',
    ]);
  });

  it('keeps secrets when masks are written back, and validates new metadata', async () => {
    const metadata = {
      url: 'https://example.org/hook',
      httpHeaders: [{ name: 'X-Key', value: 'enigma' }],
      oauth2Registration: { tokenUri: 'https://example.org/token', clientId: 'a', clientSecret: 'enigma' },
    };
    const a = await created(metadata);
    const shown = JSON.parse(String((await read(a))?.['metadata'])) as object;
    expect(JSON.stringify(shown)).not.toContain('enigma');
    expect(shown).toMatchObject({ httpHeaders: [{ name: 'X-Key', value: '***' }] });
    expect((await patch(a, { metadata: shown, changeVersion: 1 })).code).toBeUndefined();
    expect(await hosted.loadMetadata(a)).toEqual(metadata);
    expect((await patch(a, { metadata: { url: 'http://[::1]/' }, changeVersion: 2 })).causes).toEqual([
      '/metadata/url INVALID_VALUE',
    ]);
  });

  it('is validated when an adaptor of another type becomes one', async () => {
    const { data } = await catalog.run(
      'mutation($z: Uuid!) { a: createAdaptor(zoneUuid: $z, input: {name: "plain"}) { clientId } }',
      { z },
    );
    const a = String(data['a']?.['clientId']);
    expect((await patch(a, { adaptorTypeUuid: webhookType, changeVersion: 1 })).causes).toEqual([
      '/metadata/url REQUIRED',
    ]);
  });

  it('has the state that the process running it reports, and ignores the bus', async () => {
    const a = await created();
    catalog.takeSent();
    expect(await hosted.report(a, 'STARTED')).toBe('STARTED');
    await catalog.report(a, 'ERROR', 'from the bus');
    expect(await read(a)).toMatchObject({ state: 'STARTED', stateMessage: null });
    expect(await hosted.report(a, 'ERROR', 'the receiver answered 500')).toBe('ERROR');
    expect(await read(a)).toMatchObject({ state: 'ERROR', stateMessage: 'the receiver answered 500' });
    expect((await patch(a, { state: 'PAUSE' })).data['a']).toMatchObject({ state: 'PAUSING' });
    expect(await hosted.report(a, 'ERROR', 'late')).toBe('PAUSING');
    expect(await hosted.report(a, 'PAUSED')).toBe('PAUSED');
    expect((await patch(a, { state: 'PLAY' })).data['a']).toMatchObject({ state: 'STARTING' });
    expect((await patch(a, { metadata: { url: 'https://example.org/2' }, changeVersion: 1 })).code).toBeUndefined();
    expect(catalog.takeSent()).toEqual([]);
  });

  it('that no longer exists ignores reports', async () => {
    const gone = '01a2077d-0000-7000-8000-000000000001';
    expect([await hosted.report(gone, 'STARTED'), await hosted.loadMetadata(gone)]).toEqual([undefined, undefined]);
  });

  it('is healthy while a process runs it and its receiver accepts messages', async () => {
    const a = await created();
    const health = async () =>
      (
        await catalog.run(
          'query($z: Uuid!, $a: Uuid!) { h: adaptorHealth(zoneUuid: $z, adaptorUuid: $a) { status uptime } }',
          { z, a },
        )
      ).data['h'];
    await hosted.report(a, 'STARTED');
    expect(await health()).toEqual({ status: 'DOWN', uptime: 0 });
    await catalog.database.pool.query(
      `INSERT INTO relay_lease (adaptor_uuid, owner, expires_at, acquired_at)
       VALUES ($1, gen_random_uuid(), clock_timestamp() + interval '1 minute', clock_timestamp() - interval '1 minute')`,
      [a],
    );
    const { uptime, ...rest } = (await health()) as { status: string; uptime: number };
    expect(rest).toEqual({ status: 'UP' });
    expect(uptime).toBeGreaterThanOrEqual(60_000);
    await hosted.report(a, 'ERROR', 'the receiver answered 500');
    expect(await health()).toEqual({ status: 'DOWN', uptime: 0 });
  });
});
