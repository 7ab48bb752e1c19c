import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listIn, openCatalog, type Answer, type TestCatalog } from './testing/open-catalog.js';

const canary = 'canary-7f3a';
let catalog: TestCatalog;
let z: string;
beforeAll(async () => {
  catalog = await openCatalog();
  z = catalog.rootZoneUuid;
});
afterAll(() => catalog?.close());
beforeEach(() => void catalog.takeSent());

type Written = Readonly<Record<string, unknown>> & { readonly uuid: string };

/** Answers since the last check, in full. None may contain a secret. */
const answers: Answer[] = [];
const send = async (mutation: string, variables: Record<string, unknown>): Promise<Answer> => {
  const answer = await catalog.run(mutation, variables);
  answers.push(answer);
  return answer;
};
const written = (answer: Answer): Written => {
  expect(answer.code).toBeUndefined();
  return answer.data['written'] as Written;
};

const typeFields = 'uuid name defaultMetadata secretProperties changeVersion';
const adaptorFields = 'uuid metadata changeVersion adaptorType { defaultMetadata secretProperties }';
const createType = (input: object) =>
  send(`mutation($i: AdaptorTypeInput!) { written: createAdaptorType(input: $i) { ${typeFields} } }`, { i: input });
const patchType = (t: string, input: object, field = 'patchAdaptorType') =>
  send(
    `mutation($t: Uuid!, $i: AdaptorTypeInput!) { written: ${field}(adaptorTypeUuid: $t, input: $i) { ${typeFields} } }`,
    { t, i: input },
  );
const create = (input: object) =>
  send(
    `mutation($z: Uuid!, $i: AdaptorInput!) {
      created: createAdaptor(zoneUuid: $z, input: $i) { written: adaptor { ${adaptorFields} } }
    }`,
    { z, i: input },
  );
const newAdaptor = async (metadata: unknown, adaptorTypeUuid?: string): Promise<Written> => {
  const answer = await create({ name: 'crm', metadata, adaptorTypeUuid });
  expect(answer.code).toBeUndefined();
  return answer.data['created']?.['written'] as Written;
};
const patch = (a: string, input: object, field = 'patchAdaptor') =>
  send(
    `mutation($z: Uuid!, $a: Uuid!, $i: AdaptorInput!) {
      written: ${field}(zoneUuid: $z, adaptorUuid: $a, input: $i) { ${adaptorFields} }
    }`,
    { z, a, i: input },
  );

/** The metadata that START delivers. */
const delivered = async (a: string): Promise<unknown> => {
  catalog.takeSent();
  await catalog.report(a, 'STARTING');
  const [start] = catalog.takeSent();
  return start?.operation === 'START' ? start.metadata : undefined;
};

/** Everything that the catalog stores, as text. */
const stored = async (): Promise<string> => {
  const { rows } = await catalog.database.pool.query<{ readonly row: string }>(
    `SELECT to_jsonb(adaptor)::text AS row FROM adaptor UNION ALL SELECT to_jsonb(adaptor_type)::text FROM adaptor_type
     UNION ALL SELECT to_jsonb(adaptor_secrets)::text FROM adaptor_secrets
     UNION ALL SELECT to_jsonb(adaptor_type_secrets)::text FROM adaptor_type_secrets
     UNION ALL SELECT to_jsonb(change_log)::text FROM change_log`,
  );
  return rows.map(({ row }) => row).join('\n');
};

describe('secrets of metadata', () => {
  it('are masked in every answer and every table, and sent to the adaptor', async () => {
    const metadata = {
      url: 'jdbc:x',
      password: `${canary}-1`,
      database: { user: 'u', clientSecret: `${canary}-2` },
      'source.Token': `${canary}-3`,
      targets: [{ secret: { deep: `${canary}-4` } }, { secret: 9223372036854775807n }],
      tokens: 3,
      token: null,
    };
    const { uuid, metadata: shown } = await newAdaptor(
      '{"url":"jdbc:x","password":"canary-7f3a-1","database":{"user":"u","clientSecret":"canary-7f3a-2"},' +
        '"source.Token":"canary-7f3a-3","targets":[{"secret":{"deep":"canary-7f3a-4"}},{"secret":9223372036854775807}],' +
        '"tokens":3,"token":null}',
    );
    expect(JSON.parse(String(shown))).toEqual({
      url: 'jdbc:x',
      password: '***',
      database: { user: 'u', clientSecret: '***' },
      'source.Token': '***',
      targets: [{ secret: '***' }, { secret: '***' }],
      tokens: 3,
      token: null,
    });
    expect(await delivered(uuid)).toEqual(metadata);
    const read = await send(
      `query($z: Uuid!, $a: Uuid!) {
        adaptor(zoneUuid: $z, adaptorUuid: $a) { ${adaptorFields} } adaptors(zoneUuid: $z, size: 1000) { data { metadata } }
      }`,
      { z, a: uuid },
    );
    expect(read.data['adaptor']?.['metadata']).toBe(shown);
    const everything = `${JSON.stringify(answers)}${await stored()}`;
    expect(everything).not.toContain(canary);
    expect(everything).not.toContain('9223372036854775807');
  });

  it('are kept when *** is written back, and replaced by any other value', async () => {
    const { uuid } = await newAdaptor({ url: 'a', password: `${canary}-5`, list: [{ token: `${canary}-6` }] });
    await patch(uuid, { metadata: { url: 'b', password: '***', list: [{ token: '***' }] }, changeVersion: 1 });
    expect(await delivered(uuid)).toEqual({ url: 'b', password: `${canary}-5`, list: [{ token: `${canary}-6` }] });
    await patch(uuid, { metadata: '{"url":"b","password":"***","list":[]}', changeVersion: 2 }, 'patchAdaptor');
    expect(await delivered(uuid)).toEqual({ url: 'b', password: `${canary}-5`, list: [] });
    await patch(uuid, { description: 'd', changeVersion: 3 });
    expect(await delivered(uuid)).toEqual({ url: 'b', password: `${canary}-5`, list: [] });
    await patch(uuid, { name: 'crm', metadata: { password: `${canary}-7` }, changeVersion: 4 }, 'replaceAdaptor');
    expect(await delivered(uuid)).toEqual({ password: `${canary}-7` });
    await patch(uuid, { metadata: { password: null }, changeVersion: 5 });
    expect(await delivered(uuid)).toEqual({ password: null });
    expect(`${JSON.stringify(answers)}${await stored()}`).not.toContain(canary);
  });

  it('cannot be written as *** where no secret exists', async () => {
    const refused = await create({ name: 'crm', metadata: { a: [{ password: '***' }], token: '***', note: '***' } });
    expect([refused.code, refused.causes]).toEqual([
      'VALIDATION_FAILED',
      ['/metadata/a/0/password NOTHING_TO_KEEP', '/metadata/token NOTHING_TO_KEEP'],
    ]);
    const { uuid } = await newAdaptor({ password: `${canary}-8` });
    const moved = await patch(uuid, { metadata: { 'x/y~z': { password: '***' }, password: '***' }, changeVersion: 1 });
    expect(moved.causes).toEqual(['/metadata/x~1y~0z/password NOTHING_TO_KEEP']);
    const type = await createType({ name: 'Masked', defaultMetadata: { secret: '***' } });
    expect(type.causes).toEqual(['/defaultMetadata/secret NOTHING_TO_KEEP']);
  });

  it('are kept only while they are sent to the same scheme, host and port', async () => {
    const source = (jdbcUrl: string, password: string) => ({
      databases: { crm: { type: 'JDBC', properties: { jdbcUrl, 'dataSource.password': password } } },
    });
    const url = 'jdbc:postgresql://db.example/crm';
    const at = 'databases/crm/properties/dataSource.password NOTHING_TO_KEEP';
    const { uuid } = await newAdaptor(source(url, `${canary}-70`));
    const elsewhere = source('jdbc:postgresql://evil.example/crm', '***');
    for (const field of ['patchAdaptor', 'replaceAdaptor']) {
      const refused = await patch(uuid, { name: 'crm', metadata: elsewhere, changeVersion: 1 }, field);
      expect([refused.code, refused.causes]).toEqual(['VALIDATION_FAILED', [`/metadata/${at}`]]);
    }
    expect(await delivered(uuid)).toEqual(source(url, `${canary}-70`));
    await patch(uuid, { metadata: source('jdbc:postgresql://db.example:5432/erp', '***'), changeVersion: 1 });
    expect(await delivered(uuid)).toEqual(source('jdbc:postgresql://db.example:5432/erp', `${canary}-70`));

    const type = written(await createType({ name: 'Origins', defaultMetadata: source(url, `${canary}-71`) }));
    const { uuid: heir } = await newAdaptor(undefined, type.uuid);
    expect((await patch(heir, { metadata: elsewhere, changeVersion: 1 })).causes).toEqual([`/metadata/${at}`]);
    for (const field of ['patchAdaptorType', 'replaceAdaptorType']) {
      const input = { name: 'Origins', defaultMetadata: elsewhere, changeVersion: 1 };
      expect((await patchType(type.uuid, input, field)).causes).toEqual([`/defaultMetadata/${at}`]);
    }
    expect(`${JSON.stringify(answers)}${await stored()}`).not.toContain(canary);
  });

  it('are sent to the connected adaptor when only they change', async () => {
    const { uuid } = await newAdaptor({ password: `${canary}-9` });
    await catalog.report(uuid, 'STARTED');
    catalog.takeSent();
    await patch(uuid, { metadata: { password: `${canary}-10` }, changeVersion: 1 });
    expect(catalog.takeSent()).toMatchObject([{ operation: 'METADATA', metadata: { password: `${canary}-10` } }]);
    await patch(uuid, { metadata: { password: '***' }, changeVersion: 2 });
    expect(catalog.takeSent()).toEqual([]);
  });

  it('reach the adaptors of their type, also after an adaptor writes its inherited metadata back', async () => {
    const type = written(
      await createType({ name: 'Inherited', defaultMetadata: { url: 'a', password: `${canary}-11` } }),
    );
    expect(JSON.parse(String(type['defaultMetadata']))).toEqual({ url: 'a', password: '***' });
    const { uuid } = await newAdaptor(undefined, type.uuid);
    expect(await delivered(uuid)).toEqual({ url: 'a', password: `${canary}-11` });
    await patchType(type.uuid, { defaultMetadata: { url: 'b', password: '***' }, changeVersion: 1 });
    expect(await delivered(uuid)).toEqual({ url: 'b', password: `${canary}-11` });
    await patch(uuid, { metadata: { url: 'own', password: '***' }, changeVersion: 1 });
    expect(await delivered(uuid)).toEqual({ url: 'own', password: `${canary}-11` });
    await patchType(type.uuid, { defaultMetadata: { password: `${canary}-12` }, changeVersion: 2 });
    expect(await delivered(uuid)).toEqual({ url: 'own', password: `${canary}-11` });
    await patch(uuid, { metadata: null, changeVersion: 2 });
    expect(await delivered(uuid)).toEqual({ password: `${canary}-12` });
    expect(`${JSON.stringify(answers)}${await stored()}`).not.toContain(canary);
  });
});

describe('secretZones of a type', () => {
  const newZone = async (name: string): Promise<string> => {
    const { data } = await send('mutation($n: String!) { written: createZone(input: { name: $n }) { uuid } }', {
      n: name,
    });
    return (data['written'] as Written).uuid;
  };
  const newHeir = async (zone: string, adaptorTypeUuid: string): Promise<string> => {
    const answer = await send(
      `mutation($z: Uuid!, $i: AdaptorInput!) { made: createAdaptor(zoneUuid: $z, input: $i) { written: adaptor { uuid } } }`,
      { z: zone, i: { name: 'heir', adaptorTypeUuid } },
    );
    const made = answer.data['made'] as { readonly written: Written };
    return made.written.uuid;
  };
  const fields = `${typeFields} secretZones zoneUuid`;
  const change = async (t: string, input: object, field = 'patchAdaptorType') =>
    send(
      `mutation($t: Uuid!, $i: AdaptorTypeInput!) { written: ${field}(adaptorTypeUuid: $t, input: $i) { ${fields} } }`,
      { t, i: input },
    );

  it('decide which adaptors of other zones inherit secrets', async () => {
    const [owner, named, other] = [await newZone('owner'), await newZone('named'), await newZone('other')];
    const defaultMetadata = {
      url: 'https://a.example',
      password: `${canary}-80`,
      list: ['x', `https://u:${canary}-81@a.example`],
      deep: [{ token: `${canary}-82`, user: 'u' }],
    };
    const rest = { url: 'https://a.example', list: ['x'], deep: [{ user: 'u' }] };
    const type = written(await createType({ name: 'Owned', zoneUuid: owner, secretZones: [named], defaultMetadata }));
    const [ofOwner, ofNamed, ofOther] = [
      await newHeir(owner, type.uuid),
      await newHeir(named, type.uuid),
      await newHeir(other, type.uuid),
    ];
    expect(await delivered(ofOwner)).toEqual(defaultMetadata);
    expect(await delivered(ofNamed)).toEqual(defaultMetadata);
    expect(await delivered(ofOther)).toEqual(rest);
    const kept = await send(
      `mutation($z: Uuid!, $a: Uuid!, $i: AdaptorInput!) { patchAdaptor(zoneUuid: $z, adaptorUuid: $a, input: $i) { uuid } }`,
      { z: other, a: ofOther, i: { metadata: { password: '***' }, changeVersion: 1 } },
    );
    expect(kept.causes).toEqual(['/metadata/password NOTHING_TO_KEEP']);

    expect(written(await change(type.uuid, { description: 'd', changeVersion: 1 }))['secretZones']).toEqual([named]);
    expect(written(await change(type.uuid, { secretZones: [other], changeVersion: 2 }))['secretZones']).toEqual([
      other,
    ]);
    expect(await delivered(ofNamed)).toEqual(rest);
    expect(await delivered(ofOther)).toEqual(defaultMetadata);
    const replaced = { name: 'Owned', zoneUuid: owner, defaultMetadata: { password: '***' }, changeVersion: 3 };
    expect(written(await change(type.uuid, replaced, 'replaceAdaptorType'))['secretZones']).toEqual([]);
    expect(await delivered(ofOther)).toEqual({});
    expect(await delivered(ofOwner)).toEqual({ password: `${canary}-80` });
    expect(`${JSON.stringify(answers)}${await stored()}`).not.toContain(canary);
  });

  it('add zones to the root zone when the type has no zone', async () => {
    const other = await newZone('apart');
    const type = written(await createType({ name: 'Rootless', defaultMetadata: { password: `${canary}-83` } }));
    expect(await delivered(await newHeir(z, type.uuid))).toEqual({ password: `${canary}-83` });
    expect(await delivered(await newHeir(other, type.uuid))).toEqual({});
  });

  it('exist, and each is named once', async () => {
    const unknown = '018f0000-0000-7000-8000-000000000009';
    const refused = await createType({ name: 'Refused', secretZones: [z, unknown, z] });
    expect(refused.causes).toEqual(['/secretZones/2 DUPLICATE', '/secretZones/1 UNKNOWN_REFERENCE']);
    const gone = await newZone('gone');
    const type = written(await createType({ name: 'Left', secretZones: [gone, z] }));
    await send('mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z: gone });
    const left = await change(type.uuid, { description: 'd', changeVersion: 2 });
    expect(written(left)['secretZones']).toEqual([z]);
  });
});

describe('secretProperties of a type', () => {
  it('name additional secrets, which stay sealed when the list gets shorter', async () => {
    const type = written(
      await createType({
        name: 'Listed',
        secretProperties: ['apiKey', 'httpHeaders.value'],
        defaultMetadata: { APIKEY: `${canary}-20` },
      }),
    );
    expect(type).toMatchObject({
      secretProperties: ['apiKey', 'httpHeaders.value'],
      defaultMetadata: '{"APIKEY":"***"}',
    });
    const own = { apiKey: `${canary}-21`, httpHeaders: [{ name: 'n', value: `${canary}-22` }], value: 'v' };
    const { uuid, metadata } = await newAdaptor(own, type.uuid);
    const shown = { apiKey: '***', httpHeaders: [{ name: 'n', value: '***' }], value: 'v' };
    expect(JSON.parse(String(metadata))).toEqual(shown);
    await patchType(type.uuid, { secretProperties: [], changeVersion: 1 });
    const read = await patch(uuid, { metadata: { ...shown, value: 'w' }, changeVersion: 1 });
    expect(JSON.parse(String(written(read)['metadata']))).toEqual({ ...shown, value: 'w' });
    expect(await delivered(uuid)).toEqual({ ...own, value: 'w' });
    expect(`${JSON.stringify(answers)}${await stored()}`).not.toContain(canary);
  });

  it('that are added seal values stored in clear: in defaults, adaptors and the change log', async () => {
    const late = 'late-5d21';
    const type = written(await createType({ name: 'Grown', defaultMetadata: { apiKey: `${late}-1`, a: 1 } }));
    const { uuid: heir } = await newAdaptor(undefined, type.uuid);
    const { uuid: owner } = await newAdaptor(
      { nested: { apiKey: { v: `${late}-2` } }, password: `${canary}-30` },
      type.uuid,
    );
    const { uuid: mover } = await newAdaptor({ apiKey: `${late}-3` });
    const gone = await newAdaptor({ apiKey: `${late}-4` }, type.uuid);
    await catalog.run('mutation($z: Uuid!, $a: Uuid!) { deleteAdaptor(zoneUuid: $z, adaptorUuid: $a, force: true) }', {
      z,
      a: gone.uuid,
    });
    expect(await stored()).toContain(late);
    const grown = await patchType(type.uuid, { secretProperties: ['apiKey'], changeVersion: 1 });
    expect(JSON.parse(String(written(grown)['defaultMetadata']))).toEqual({ apiKey: '***', a: 1 });
    const moved = await patch(mover, { adaptorTypeUuid: type.uuid, changeVersion: 1 });
    expect(JSON.parse(String(written(moved)['metadata']))).toEqual({ apiKey: '***' });
    const everything = await stored();
    expect(everything).not.toContain(late);
    expect(everything).not.toContain(canary);
    expect(await delivered(heir)).toEqual({ apiKey: `${late}-1`, a: 1 });
    expect(await delivered(owner)).toEqual({ nested: { apiKey: { v: `${late}-2` } }, password: `${canary}-30` });
    expect(await delivered(mover)).toEqual({ apiKey: `${late}-3` });
  });

  it.each([
    ['an empty name', [''], '/secretProperties/0 OUT_OF_RANGE'],
    ['a long name', ['a', 'x'.repeat(257)], '/secretProperties/1 OUT_OF_RANGE'],
    ['a name twice', ['a', 'A'], '/secretProperties/1 DUPLICATE'],
    ['too many', Array.from({ length: 101 }, (_, i) => `p${i}`), '/secretProperties TOO_LARGE'],
  ])('are refused with %s', async (_what, secretProperties, cause) => {
    expect((await createType({ name: 'Refused', secretProperties })).causes).toEqual([cause]);
  });
});

describe('addresses with a password in them', () => {
  it('are masked, kept when *** is written back, and shown if they have no password', async () => {
    const addresses = {
      jdbcUrl: `jdbc:postgresql://db/crm?user=u&password=${canary}-50`,
      list: [`mongodb://u:${canary}-51@mongo/x`],
      plain: 'jdbc:postgresql://db/crm?user=u',
    };
    const { uuid, metadata } = await newAdaptor(addresses);
    const shown = { jdbcUrl: '***', list: ['***'], plain: addresses.plain };
    expect(JSON.parse(String(metadata))).toEqual(shown);
    expect(await delivered(uuid)).toEqual(addresses);
    await patch(uuid, { metadata: { ...shown, added: 1 }, changeVersion: 1 });
    expect(await delivered(uuid)).toEqual({ ...addresses, added: 1 });
    const cleared = await patch(uuid, { metadata: { jdbcUrl: addresses.plain }, changeVersion: 2 });
    expect(JSON.parse(String(written(cleared)['metadata']))).toEqual({ jdbcUrl: addresses.plain });
    expect(`${JSON.stringify(answers)}${await stored()}`).not.toContain(canary);
  });

  it('are not always secret in a database adaptor, except for connectionString', async () => {
    const found = await catalog.run('{ adaptorTypes(name: "Database Adaptor") { data { uuid secretProperties } } }');
    const [type] = listIn<Written>(found, 'adaptorTypes');
    expect(type?.['secretProperties']).toEqual(['connectionString']);
    const { metadata } = await newAdaptor(
      { s: { connectionString: `AccountKey=${canary}-52`, jdbcUrl: 'jdbc:sqlite:/a' } },
      type?.uuid,
    );
    expect(JSON.parse(String(metadata))).toEqual({ s: { connectionString: '***', jdbcUrl: 'jdbc:sqlite:/a' } });
  });
});

describe('secrets that an earlier version stored in clear', () => {
  it('are sealed when the catalog starts, in addition to the secrets that it had sealed', async () => {
    const type = written(await createType({ name: 'Outdated', defaultMetadata: { x: 1 } }));
    const sealed = { password: `${canary}-60`, jdbcUrl: 'jdbc:mysql://db/x' };
    const { uuid } = await newAdaptor(sealed, type.uuid);
    const { uuid: heir } = await newAdaptor(undefined, type.uuid);
    await patchType(type.uuid, { defaultMetadata: sealed, changeVersion: 1 });
    const clear = JSON.stringify({ password: '***', jdbcUrl: `jdbc:mysql://db/x?password=${canary}-61` });
    const { pool } = catalog.database;
    await pool.query('UPDATE adaptor SET metadata = $1 WHERE uuid = $2', [clear, uuid]);
    await pool.query('UPDATE adaptor_type SET default_metadata = $1 WHERE uuid = $2', [clear, type.uuid]);
    await pool.query('UPDATE adaptor_secrets SET outdated = true WHERE adaptor_uuid = $1', [uuid]);
    await pool.query('UPDATE adaptor_type_secrets SET outdated = true WHERE adaptor_type_uuid = $1', [type.uuid]);
    await catalog.restart({});
    expect(await stored()).not.toContain(canary);
    const whole = { ...sealed, jdbcUrl: `jdbc:mysql://db/x?password=${canary}-61` };
    expect([await delivered(uuid), await delivered(heir)]).toEqual([whole, whole]);
    const { rows } = await pool.query(
      'SELECT FROM adaptor_secrets WHERE outdated UNION ALL SELECT FROM adaptor_type_secrets WHERE outdated',
    );
    expect(rows).toEqual([]);
  });

  it('are sealed when the catalog starts', async () => {
    const type = written(await createType({ name: 'Old', defaultMetadata: { x: 1 } }));
    const { uuid } = await newAdaptor({ x: 1 }, type.uuid);
    const { uuid: heir } = await newAdaptor(undefined, type.uuid);
    const { pool } = catalog.database;
    const clear = JSON.stringify({ 'database.password': `${canary}-40`, url: 'u' });
    await pool.query('UPDATE adaptor SET metadata = $1 WHERE uuid = $2', [clear, uuid]);
    await pool.query('UPDATE adaptor_type SET default_metadata = $1 WHERE uuid = $2', [clear, type.uuid]);
    await pool.query('DELETE FROM adaptor_secrets WHERE adaptor_uuid = $1', [uuid]);
    await pool.query('DELETE FROM adaptor_type_secrets WHERE adaptor_type_uuid = $1', [type.uuid]);
    await catalog.restart({});
    expect(await stored()).not.toContain(canary);
    expect(await delivered(uuid)).toEqual(JSON.parse(clear));
    expect(await delivered(heir)).toEqual(JSON.parse(clear));
  });
});
