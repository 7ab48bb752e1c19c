import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { openCatalog, type TestCatalog } from './testing/open-catalog.js';

type Arguments = Readonly<Record<string, unknown>>;

/** Resources that the arguments refer to. */
interface World {
  readonly zoneUuid: string;
  readonly adaptorTypeUuid: string;
  readonly adaptorUuid: string;
  readonly domainUuid: string;
  readonly domainVersionUuid: string;
  readonly propertyUuid: string;
}

const model = { properties: { id: { type: 'string' } } };

describe('an operation with the purpose `check`', () => {
  let catalog: TestCatalog;
  let world: World;

  beforeAll(async () => {
    catalog = await openCatalog();
    const create = async (field: string, input: Arguments, more = ''): Promise<string> => {
      const type = `${field.slice('create'.length)}Input!`;
      const selection = field === 'createAdaptor' ? 'adaptor { uuid }' : 'uuid';
      const source = `mutation ($input: ${type}) { made: ${field}(${more} input: $input) { ${selection} } }`;
      const { data } = await catalog.run(source, { input });
      const { adaptor = data['made'] } = (data['made'] ?? {}) as { adaptor?: unknown };
      return (adaptor as { uuid: string }).uuid;
    };
    const zoneUuid = await create('createZone', { name: 'Checked' });
    const domainUuid = await create('createDomain', { name: 'checked' });
    const version = await catalog.run(
      'mutation ($d: Uuid!, $input: DomainVersionInput!) { made: createDomainVersion(domainUuid: $d, input: $input) { domainVersion { uuid properties { uuid } } } }',
      { d: domainUuid, input: { modelSchema: model, drKeyProperties: ['id'] } },
    );
    const made = version.data['made'] as { domainVersion: { uuid: string; properties: { uuid: string }[] } };
    world = {
      zoneUuid,
      domainUuid,
      adaptorTypeUuid: await create('createAdaptorType', { name: 'Checked' }),
      adaptorUuid: await create('createAdaptor', { name: 'Checked' }, `zoneUuid: "${zoneUuid}",`),
      domainVersionUuid: made.domainVersion.uuid,
      propertyUuid: made.domainVersion.properties[0]?.uuid ?? '',
    };
  });
  afterAll(() => catalog.close());

  const argumentsOf = (field: string): Arguments => {
    const { domainVersionUuid, adaptorUuid } = world;
    const versionInput = { modelSchema: model, drKeyProperties: ['id'] };
    const preference = { domainVersionUuid, adaptorUuid, preferenceType: 'GOLD' };
    const base = { ...world, adaptorOrPreferenceUuid: adaptorUuid };
    if (field.includes('Version')) return { ...base, input: { ...versionInput, changeVersion: 1 } };
    if (field.includes('Preference')) return { ...base, input: preference, inputs: [preference] };
    if (field === 'patchDomain') return { ...base, input: { description: 'other', changeVersion: 1 } };
    return { ...base, input: { name: `Other-${field}`, changeVersion: 1, state: 'PAUSE' } };
  };
  const state = async (): Promise<unknown> => {
    const { rows } = await catalog.database.pool.query('SELECT count(*), max(position) FROM change_log');
    return rows;
  };

  it('changes nothing, with any input', async () => {
    const before = await state();
    const fields = Object.values(catalog.subgraph.schema.getMutationType()?.getFields() ?? {});
    expect(fields.length).toBeGreaterThan(15);
    const context: RequestContext = { principal: catalog.steward, requestId: 'r', purpose: 'check' };
    for (const { name, resolve } of fields) {
      const run = async () => resolve?.(undefined, argumentsOf(name), context, {} as GraphQLResolveInfo);
      const outcome = await run().catch((error: unknown) => error);
      expect([name, outcome]).toEqual([name, expect.any(AppError)]);
      expect([name, (outcome as AppError).code, (outcome as AppError).errors]).toEqual([name, 'VALIDATION_FAILED', []]);
    }
    expect(await state()).toEqual(before);
    expect(catalog.takeSent()).toEqual([]);
  });

  it('reports the faults of its input', async () => {
    const context: RequestContext = { principal: catalog.steward, requestId: 'r', purpose: 'check' };
    const resolve = catalog.subgraph.schema.getMutationType()?.getFields()['createDomainVersion']?.resolve;
    const input = { modelSchema: { properties: { id: { type: 'string', minLength: 'x' } } }, drKeyProperties: ['no'] };
    const run = async () => resolve?.(undefined, { ...world, input }, context, {} as GraphQLResolveInfo);
    await expect(run()).rejects.toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '/modelSchema/properties/id/minLength' }),
        expect.objectContaining({ pointer: '/drKeyProperties/0' }),
      ]) as unknown,
    });
  });
});
