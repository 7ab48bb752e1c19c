import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { askGraphql } from '../ask-graphql.js';
import { expectProblem } from '../expect-problem.js';
import type { Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

type Version = Resource & { readonly versionNumber: number; readonly modelSchema: Record<string, unknown> };

interface Versions {
  readonly domainVersions: readonly Version[];
  readonly _page: { readonly totalElements: number };
}

interface Validated {
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

const model = { properties: { id: { type: 'string' }, size: { type: 'integer' } } };
const version = { modelSchema: model, drKeyProperties: ['id'] };

describe('domains and their versions', () => {
  const { doors } = shareDoors();

  const get = async <Body = Resource>(path: string): Promise<Body> =>
    requireStatus(await doors.dgs.rest<Body>('GET', path), 200).body;
  const newDomain = async (json: Record<string, unknown> = {}): Promise<Resource> =>
    requireStatus(await doors.dgs.rest('POST', '/domains', { name: uniqueName('domain'), ...json }), 201).body;
  const newVersion = async (domain: Resource, json: Record<string, unknown> = {}): Promise<Version> => {
    const path = `/domains/${domain.uuid}/versions`;
    return requireStatus(await doors.dgs.rest<Version>('POST', path, { ...version, ...json }), 201).body;
  };

  it('creates a domain with its defaults', async () => {
    const { dgs, root } = doors;
    const name = uniqueName('Domain-with_');
    const answer = requireStatus(await dgs.rest('POST', '/domains', { name, description: 'd'.repeat(300) }), 201);
    expect(answer.headers['location']).toMatch(new RegExp(`/domains/${answer.body.uuid}$`));
    const domain = await get(`/domains/${answer.body.uuid}`);
    expect(domain).toMatchObject({
      name,
      description: 'd'.repeat(255),
      domainType: 'SERVICE_DATA_STORE',
      zoneUuid: root,
      active: true,
      versionCount: 0,
      changeVersion: 1,
      createdByUuid: expect.any(String),
      dateCreated: expect.any(Number),
      lastUpdated: expect.any(Number),
    });
    expect(domain['defaultVersionUuid'] ?? null).toBeNull();
    const { body } = await dgs.rest<{ domains: Resource[] }>('GET', `/domains?filters=name:${name}`);
    expect(body.domains).toMatchObject([{ uuid: domain.uuid }]);
  });

  it('patches and replaces a domain, and keeps its type once it has a version', async () => {
    const { dgs } = doors;
    const domain = await newDomain({ domainType: 'FEDERATED', description: 'first' });
    const path = `/domains/${domain.uuid}`;
    await newVersion(domain);
    const { changeVersion } = await get(path);
    const patched = requireStatus(await dgs.rest('PATCH', path, { changeVersion, active: false }), 200).body;
    expect(patched).toMatchObject({ active: false, description: 'first', domainType: 'FEDERATED' });
    const json = { changeVersion: patched.changeVersion, name: domain.name, description: 'second', active: true };
    const same = { ...json, domainType: 'FEDERATED' };
    const replaced = requireStatus(await dgs.rest('PUT', path, same), 200).body;
    expect(replaced).toMatchObject({ name: domain.name, description: 'second', active: true });
    const other = { ...json, changeVersion: replaced.changeVersion, domainType: 'SERVICE_DATA_STORE' };
    expectProblem(await dgs.rest<unknown>('PUT', path, other), { status: 409, code: 'CONFLICT' });
  });

  it('changes the members that a patch may change, and accepts the others with the value that was read', async () => {
    const { dgs } = doors;
    const domain = await newDomain({ description: 'first' });
    const path = `/domains/${domain.uuid}`;
    const read = await get(path);
    const patched = requireStatus(await dgs.rest('PATCH', path, { ...read, description: null }), 200).body;
    expect([patched['description'] ?? null, patched.changeVersion]).toEqual([null, 2]);
    const refused = { changeVersion: 2, name: uniqueName('other'), domainType: 'FEDERATED' };
    expectProblem(await dgs.rest<unknown>('PATCH', path, refused), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/name', '/domainType'],
    });
    const name = uniqueName('renamed');
    expect(requireStatus(await dgs.rest('PUT', path, { changeVersion: 2, name }), 200).body).toMatchObject({ name });
  });

  it('lists the versions of an inactive domain only below that domain', async () => {
    const { dgs } = doors;
    const domain = await newDomain();
    await newVersion(domain);
    requireStatus(await dgs.rest('PATCH', `/domains/${domain.uuid}`, { changeVersion: 1, active: false }), 200);
    const below = await get<Versions>(`/domains/${domain.uuid}/versions`);
    expect(below.domainVersions).toMatchObject([{ versionNumber: 1, domain: { active: false } }]);
    const all = await get<Versions>(`/domains/versions?filters=name:${domain.name}`);
    expect(all.domainVersions).toEqual([]);
  });

  it('refuses a body that names another domain than the path', async () => {
    const { dgs } = doors;
    const [domain, other] = [await newDomain(), await newDomain()];
    const named = { domainUuid: other.uuid, domain: { uuid: other.uuid }, domainName: other.name };
    const answer = await dgs.rest<unknown>('POST', `/domains/${domain.uuid}/versions`, { ...version, ...named });
    expectProblem(answer, {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/domainUuid', '/domain/uuid', '/domainName'],
    });
  });

  it('numbers versions from 1, and keeps the first one as default until it is changed', async () => {
    const { dgs } = doors;
    const domain = await newDomain();
    const path = `/domains/${domain.uuid}`;
    const [first, second, third] = [await newVersion(domain), await newVersion(domain), await newVersion(domain)];
    expect([first, second, third].map(({ versionNumber }) => versionNumber)).toEqual([1, 2, 3]);
    expect(await get(path)).toMatchObject({
      versionCount: 3,
      defaultVersionNumber: 1,
      defaultVersionUuid: first.uuid,
    });
    const byNumber = { changeVersion: (await get(path)).changeVersion, defaultVersionNumber: 3 };
    requireStatus(await dgs.rest('PATCH', path, byNumber), 200);
    expect(await get(path)).toMatchObject({ defaultVersionNumber: 3, defaultVersionUuid: third.uuid });
    const byUuid = { changeVersion: (await get(path)).changeVersion, defaultVersionUuid: second.uuid };
    requireStatus(await dgs.rest('PATCH', path, byUuid), 200);
    expect(await get(path)).toMatchObject({ defaultVersionNumber: 2, defaultVersionUuid: second.uuid });
  });

  it('numbers versions without gaps or duplicates when they are created at once', async () => {
    const domain = await newDomain();
    const created = await Promise.all(Array.from({ length: 8 }, () => newVersion(domain)));
    const numbers = created.map(({ versionNumber }) => versionNumber).toSorted((a, b) => a - b);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('lists versions as the filter says', async () => {
    const domain = await newDomain();
    await newVersion(domain);
    await newVersion(domain);
    const path = `/domains/${domain.uuid}/versions`;
    const numbers = async (query: string): Promise<number[]> =>
      (await get<Versions>(`${path}${query}`)).domainVersions.map(({ versionNumber }) => versionNumber);
    expect(await numbers('')).toEqual([1]);
    expect(await numbers('?filters=version:0')).toEqual([1]);
    expect(await numbers('?filters=version:2')).toEqual([2]);
    expect(await numbers('?filters=version:7')).toEqual([]);
    expect(await numbers('?sort=versionNumber')).toEqual([1, 2]);
    expect(await numbers('?sort=-versionNumber')).toEqual([2, 1]);
    expect((await numbers('?size=10')).toSorted((a, b) => a - b)).toEqual([1, 2]);
    for (const filter of ['version:-1', 'version:x', 'number:1']) {
      expectProblem(await doors.dgs.rest<unknown>('GET', `${path}?filters=${filter}`), {
        status: 400,
        code: 'INVALID_PARAMETER',
      });
    }

    const all = async (filters: string): Promise<number[]> =>
      (await get<Versions>(`/domains/versions?filters=${filters}&sort=versionNumber`)).domainVersions.map(
        ({ versionNumber }) => versionNumber,
      );
    expect(await all(`name:${domain.name}`)).toEqual([1, 2]);
    expect(await all(`name:${domain.name},version:0`)).toEqual([1]);
    expect(await all(`name:${domain.name},version:2`)).toEqual([2]);
  });

  it('shows a version at both of its paths, with the fields asked for', async () => {
    const domain = await newDomain({ description: 'the domain' });
    const { uuid } = await newVersion(domain, { description: 'x'.repeat(300) });
    const [below, direct] = [
      await get<Version>(`/domains/${domain.uuid}/versions/${uuid}`),
      await get<Version>(`/domains/versions/${uuid}`),
    ];
    expect(below).toEqual(direct);
    expect(direct).toMatchObject({
      uuid,
      versionNumber: 1,
      description: 'x'.repeat(255),
      drKeyProperties: ['id'],
      modelSchema: model,
      matchingAlgorithm: { type: 'EXACT' },
      domain: { uuid: domain.uuid, name: domain.name },
      changeVersion: 1,
      createdByUuid: expect.any(String),
      dateCreated: expect.any(Number),
      lastUpdated: expect.any(Number),
    });
    expect(await get(`/domains/versions/${uuid}?fields=domain.name,modelSchema.properties.id`)).toEqual({
      domain: { name: domain.name },
      modelSchema: { properties: { id: { type: 'string' } } },
    });
    const list = await get<Versions>(`/domains/versions?filters=name:${domain.name}&fields=versionNumber,domain.uuid`);
    expect(list.domainVersions).toEqual([{ versionNumber: 1, domain: { uuid: domain.uuid } }]);
  });

  it('normalises the accepted spellings of a model', async () => {
    const domain = await newDomain();
    const { uuid } = await newVersion(domain, {
      modelSchema: {
        properties: {
          id: { type: 'string', required: true, min: 2, max: 5 },
          count: { type: 'int', min: 1 },
          total: { type: 'long' },
          page: { type: 'URI' },
          level: { type: 'enum', enumType: 'string', data: ['low', 'high'] },
        },
      },
    });
    const { modelSchema } = await get<Version>(`/domains/versions/${uuid}`);
    expect(modelSchema).toMatchObject({
      properties: {
        id: { type: 'string', minLength: 2, maxLength: 5 },
        count: { type: 'integer', minimum: 1 },
        total: { type: 'integer' },
        page: { type: 'string', format: 'uri' },
        level: { type: 'string', enum: ['low', 'high'] },
      },
      required: ['id'],
    });
  });

  it('keeps the bounds of integers exact', async () => {
    const domain = await newDomain();
    const maximum = 9_223_372_036_854_775_807n;
    const modelSchema = { properties: { id: { type: 'integer', minimum: -maximum - 1n, maximum } } };
    const { uuid } = await newVersion(domain, { modelSchema });
    const { text, body } = await doors.dgs.rest<Version>('GET', `/domains/versions/${uuid}`);
    expect(body.modelSchema).toMatchObject(modelSchema);
    expect(text).toMatch(/:-9223372036854775808\b[\s\S]*:9223372036854775807\b/);
  });

  it('only validates when requested', async () => {
    const { dgs } = doors;
    const domain = await newDomain();
    const path = `/domains/${domain.uuid}/versions`;
    const valid = requireStatus(await dgs.rest<Version>('POST', `${path}?validate-only=true`, version), 200);
    expect(valid.body).toMatchObject({ modelSchema: model, drKeyProperties: ['id'] });
    const faulty = {
      modelSchema: { properties: { id: { type: 'string', minimum: 1 }, size: { type: 'huge' } } },
      drKeyProperties: ['nope'],
    };
    const { body } = requireStatus(await dgs.rest<Validated>('POST', `${path}?validate-only=true`, faulty), 200);
    expect(Object.keys(body)).toEqual(['errors']);
    const pointers = ['/modelSchema/properties/id/minimum', '/modelSchema/properties/size/type', '/drKeyProperties/0'];
    expect((body.errors ?? []).map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(pointers));
    expectProblem(await dgs.rest<unknown>('POST', path, faulty), {
      status: 400,
      code: 'INVALID_MODEL_SCHEMA',
      pointers,
    });
    expect((await get<Versions>(`${path}?size=10`)).domainVersions).toEqual([]);

    const { uuid } = await newVersion(domain);
    const put = await dgs.rest<Version>('PUT', `/domains/versions/${uuid}?validate-only=true`, {
      ...version,
      description: 'not saved',
      changeVersion: 1,
    });
    expect(requireStatus(put, 200).body).toMatchObject({ description: 'not saved' });
    const faults = await dgs.rest<Validated>('PUT', `/domains/versions/${uuid}?validate-only=true`, {
      ...faulty,
      changeVersion: 1,
    });
    expect(requireStatus(faults, 200).body.errors?.length).toBeGreaterThan(0);
    const kept = await get<Version>(`/domains/versions/${uuid}`);
    expect([kept['description'] ?? null, kept.changeVersion]).toEqual([null, 1]);
  });

  it('replaces and extends a version at both paths while it has no records', async () => {
    const { dgs } = doors;
    const domain = await newDomain();
    const { uuid } = await newVersion(domain);
    const [below, direct] = [`/domains/${domain.uuid}/versions/${uuid}`, `/domains/versions/${uuid}`];
    const modelSchema = { properties: { code: { type: 'string' } } };
    const replaced = await dgs.rest<Version>('PUT', below, {
      modelSchema,
      drKeyProperties: ['code'],
      changeVersion: 1,
    });
    expect(requireStatus(replaced, 200).body).toMatchObject({
      modelSchema,
      drKeyProperties: ['code'],
      changeVersion: 2,
    });
    const patch = { changeVersion: 2, modelSchema: { properties: { page: { type: 'URI' }, total: { type: 'long' } } } };
    const patched = requireStatus(await dgs.rest<Version>('PATCH', direct, patch), 200).body;
    expect(patched).toMatchObject({
      changeVersion: 3,
      modelSchema: {
        properties: { code: { type: 'string' }, page: { type: 'string', format: 'uri' }, total: { type: 'integer' } },
      },
    });
    const stale = await dgs.rest<unknown>('PUT', direct, { ...version, changeVersion: 1 });
    expectProblem(stale, { status: 409, code: 'STALE_CHANGE_VERSION' });
    const got = await get<Version>(direct);
    const back = requireStatus(await dgs.rest<Version>('PUT', direct, got), 200);
    expect(back.body.modelSchema).toEqual(got.modelSchema);
  });

  it('adds properties, but does not remove them or change their types once there are records', async () => {
    const { dgs } = doors;
    const domain = await newDomain();
    const { uuid } = await newVersion(domain);
    const path = `/domains/versions/${uuid}`;
    const json = { name: domain.name, json: { id: 'a', size: 1 } };
    const record = requireStatus(await dgs.rest('POST', '/drs', json), 201).body;
    const removal = { ...version, modelSchema: { properties: { id: { type: 'string' } } }, changeVersion: 1 };
    const removed = expectProblem(await dgs.rest<unknown>('PUT', path, removal), { status: 409, code: 'CONFLICT' });
    expect(JSON.stringify(removed)).toContain('size');
    const properties = { id: { type: 'string' }, size: { type: 'string' } };
    const retyped = await dgs.rest<unknown>('PUT', path, { ...removal, modelSchema: { properties } });
    expect(JSON.stringify(expectProblem(retyped, { status: 409, code: 'CONFLICT' }))).toContain('size');
    const added = await dgs.rest<Version>('PATCH', path, {
      changeVersion: 1,
      modelSchema: { properties: { page: { type: 'uri' } } },
      values: [{ drUuid: record.uuid, json: { page: 'https://example.org/' } }],
    });
    requireStatus(added, 200);
    expect(await get(`/drs/${record.uuid}`)).toMatchObject({
      json: { id: 'a', size: 1, page: 'https://example.org/' },
    });
  });

  it('adds a reference that closes a cycle of domains, with its values', async () => {
    const { dgs } = doors;
    const [company, person] = [await newDomain(), await newDomain()];
    const companies = await newVersion(company);
    const employer = { $ref: `/domains/${company.name}:v1` };
    await newVersion(person, { modelSchema: { properties: { ...model.properties, employer } } });
    const newRecord = async (domain: Resource, json: Record<string, unknown>): Promise<Resource> =>
      requireStatus(await dgs.rest('POST', '/drs', { name: domain.name, json }), 201).body;
    const acme = await newRecord(company, { id: 'acme' });
    const ada = await newRecord(person, { id: 'ada', employer: 'acme' });
    const path = `/domains/${company.uuid}/versions/${companies.uuid}`;
    const modelSchema = { properties: { chief: { $ref: `/domains/${person.name}:v1` }, big: { type: 'long' } } };
    const patch = (json: Record<string, unknown>) =>
      dgs.rest<unknown>('PATCH', path, { changeVersion: 1, modelSchema, values: [{ drKey: { id: 'acme' }, json }] });
    expectProblem(await patch({ chief: 'nobody' }), {
      status: 400,
      code: 'UNKNOWN_REFERENCE',
      pointers: ['/values/0/json/chief'],
    });
    expect((await get(path)).changeVersion).toBe(1);
    requireStatus(await patch({ chief: 'ada', big: 9_223_372_036_854_775_807n }), 200);
    const { body, text } = await dgs.rest('GET', `/drs/${acme.uuid}?options=expandRefs:false`);
    expect(text).toContain('9223372036854775807');
    expect(body).toMatchObject({ json: { id: 'acme' } });
    const type = `dr_${company.name.replaceAll('-', '_')}_1`;
    const query = `{ ${type} { data { id chief { id employer { id } } } } }`;
    const answer = await eventually(() => askGraphql<Record<string, { data: unknown[] }>>(dgs, query), {
      deadlineMs: 5000,
    });
    expect(answer[type]?.data).toEqual([{ id: 'acme', chief: { id: 'ada', employer: { id: 'acme' } } }]);
    // a record that is referred to stays
    expectProblem(await dgs.rest<unknown>('DELETE', `/drs/${ada.uuid}`), { status: 409, code: 'IN_USE' });
  });

  it.each([
    ['domainUuid', (domain: Resource) => ({ domainUuid: domain.uuid })],
    ['domain', (domain: Resource) => ({ domain: { uuid: domain.uuid } })],
    ['domainName', (domain: Resource) => ({ domainName: domain.name })],
  ])('accepts a version whose body names its domain by %s', async (_, reference) => {
    const domain = await newDomain();
    expect(await newVersion(domain, reference(domain))).toMatchObject({ domain: { uuid: domain.uuid } });
  });

  it('catalogues the properties of a version', async () => {
    const { dgs } = doors;
    const domain = await newDomain();
    const { uuid } = await newVersion(domain, {
      modelSchema: {
        properties: {
          id: { type: 'string', description: 'the key' },
          address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          since: { type: 'string', format: 'date' },
        },
        required: ['id'],
      },
    });
    const path = `/domains/versions/${uuid}/properties`;
    interface Properties {
      properties: readonly Resource[];
    }
    const { properties } = await get<Properties>(path);
    expect(properties.map(({ name }) => name)).toEqual(['id', 'address', 'address.city', 'since']);
    expect(properties[0]).toMatchObject({ type: 'string', required: true, drKey: true, description: 'the key' });
    expect(properties[2]).toMatchObject({ required: true, drKey: false });
    expect(properties[3]).toMatchObject({ format: 'date', required: false });
    expect(await get<Properties>(`/domains/${domain.uuid}/versions/${uuid}/properties`)).toMatchObject({ properties });
    const one = `${path}/${properties[1]?.uuid ?? ''}`;
    requireStatus(await dgs.rest('PATCH', one, { description: 'where it is' }), 200);
    expect(await get(one)).toMatchObject({ name: 'address', description: 'where it is' });
  });
});
