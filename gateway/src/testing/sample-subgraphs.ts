import { readFileSync } from 'node:fs';
import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import { buildSchemaOf, guarded, type RequestContext, type Subgraph, type SubgraphName } from '@fds/graphql';
import {
  createRecordTypeRegistry,
  readOwnProperty,
  readRecordInput,
  type RecordField,
  type RecordTypeDefinition,
  type RecordTypeRegistry,
} from '@fds/record-types';

/** Beyond 2^53, so that rounding would be visible. */
const longValue = 9_223_372_036_854_775_807n;

export const adaptorUuids = ['0190c000-0000-7000-8000-000000000001', '0190c000-0000-7000-8000-000000000002'] as const;
const zoneUuid = '0190c000-0000-7000-8000-00000000000a';
const typeUuid = '0190c000-0000-7000-8000-00000000000b';
const time = new Date('2026-01-02T03:04:05.006Z');

const changed = { dateCreated: time, lastUpdated: time, changeVersion: longValue };
const page = { page: 0, size: 50, totalPages: 1, totalElements: 2 };
const zone = { uuid: zoneUuid, zoneUuid, name: 'Root', active: true, ...changed };
const adaptorType = { uuid: typeUuid, name: 'default', defaultCapabilities: [], ...changed };
const adaptors = adaptorUuids.map((uuid, index) => ({
  uuid,
  name: `adaptor ${index}`,
  adaptorTypeUuid: typeUuid,
  adaptorType,
  adaptorTypeSummary: adaptorType,
  zoneUuid,
  zone,
  state: 'STARTED',
  discoveryMode: false,
  active: true,
  capabilities: [{ domainName: 'customer', versionNumber: 1, action: 'GET' }],
  metadata: { limit: longValue },
  ...changed,
}));
const domain = { uuid: zoneUuid, name: 'customer', domainType: 'FEDERATED', versionCount: longValue, ...changed };

const typeDefsOf = (name: string): string =>
  readFileSync(new URL(`../../../subgraphs/${name}/schema.graphql`, import.meta.url), 'utf8');

const subgraph = (name: SubgraphName, resolvers: Record<string, unknown>): Subgraph => {
  const typeDefs = typeDefsOf(name);
  return {
    name,
    typeDefs,
    schema: buildSchemaOf(typeDefs, resolvers),
    start: async () => undefined,
    close: async () => undefined,
  };
};

const open = <Args extends object>(resolve: (args: Args, context: RequestContext) => unknown) =>
  guarded<Args>({ mode: 'filter', action: 'GET', resource: '/zones' }, resolve);

const catalog = (): Subgraph =>
  subgraph('catalog', {
    Adaptor: { __resolveReference: ({ uuid }: { uuid: string }) => adaptors.find((each) => each.uuid === uuid) },
    Query: {
      zones: open(() => ({ data: [zone], page })),
      zone: guarded<{ zoneUuid: string }>(
        { mode: 'require', action: 'GET', resource: '/zones/{zoneUuid}' },
        () => zone,
      ),
      adaptors: open(() => ({ data: adaptors, page })),
      adaptor: open<{ adaptorUuid: string }>(({ adaptorUuid }) => {
        const found = adaptors.find(({ uuid }) => uuid === adaptorUuid);
        if (found === undefined) throw new AppError('NOT_FOUND', 'there is no such adaptor');
        return found;
      }),
      domains: open<{ domainName?: string }>(({ domainName }) => {
        if (domainName === 'broken') throw new Error('password=secret at /srv/database.ts:17');
        return { data: [domain], page };
      }),
    },
    Mutation: {
      createZone: open<{ input: { name: string; changeVersion?: number | bigint } }>(({ input }) => {
        if (input.name === '') {
          const errors = [{ pointer: '/name', code: 'REQUIRED', detail: 'name is required' }];
          throw new AppError('VALIDATION_FAILED', 'the zone is not valid', { errors });
        }
        return { ...zone, name: input.name, changeVersion: input.changeVersion ?? 1 };
      }),
      createAdaptor: open<{ input: { metadata: unknown } }>(({ input }) => ({
        adaptor: { ...adaptors[0], metadata: input.metadata },
        clientId: 'id',
        clientSecret: 'secret',
      })),
    },
  });

const governance = (): Subgraph =>
  subgraph('governance', {
    Query: {
      caller: open((_args, { principal: { uuid, username } }) => ({ sub: uuid, username, zones: [] })),
    },
  });

const assembly = (): Subgraph =>
  subgraph('assembly', { Query: { assemble: open<{ request: unknown }>(({ request }) => ({ response: request })) } });

const rows: readonly Record<string, unknown>[] = [
  {
    id: 1,
    name: 'Ada',
    big: longValue,
    ratio: 0.5,
    since: time,
    state: 'OPEN',
    address: { city: 'London' },
    tags: [{ label: 'a' }],
  },
  { id: 2, name: 'Bo', big: -longValue, ratio: 10n ** 20n, since: null, state: 'closed', address: null, tags: null },
];

/** The records subgraph. Its registry adds and removes record types. */
export interface SampleRecords extends Subgraph {
  readonly registry: RecordTypeRegistry;
}

const records = (maxSchemaBytes: number): SampleRecords => {
  const typeDefs = typeDefsOf('records');
  const dataRecord = { uuid: zoneUuid, domainVersionUuid: typeUuid, dateCreated: time, drKey: { id: longValue } };
  const staticSchema = buildSchemaOf(typeDefs, {
    Adaptor: {
      __resolveReference: ({ uuid }: { uuid: string }) => ({ uuid }),
      linkageCount: ({ uuid }: { uuid: string }) => (uuid === adaptorUuids[0] ? longValue : 7),
    },
    Query: {
      dataRecords: open(() => ({ data: [dataRecord], page })),
      dataRecord: open(() => dataRecord),
    },
    Mutation: {
      createDataRecord: open<{ input: { json: unknown } }>(({ input }) => ({ ...dataRecord, json: input.json })),
    },
  });
  const registry = createRecordTypeRegistry({
    staticSchema,
    maxSchemaBytes,
    resolvers: {
      page: () => () => ({ data: rows, page }),
      metadata: () => () => ({ uuid: zoneUuid, dateCreated: time, drKey: { id: longValue }, adaptors: [] }),
      property: (_definition, { propertyName }) => readOwnProperty(propertyName),
      change:
        (definition, kind) =>
        (_source, { input }: { readonly input?: unknown }) =>
          kind === 'delete'
            ? { drUuid: zoneUuid, transactionUuid: typeUuid, adaptors: null }
            : { ...dataRecord, json: readRecordInput(definition, input) },
      reference:
        (_definition, { list, reference: { property } }) =>
        (_source, { limit }: { readonly limit?: number }) => {
          const found = property === undefined ? rows : rows.map((row) => row[property]);
          return list ? found.slice(0, limit) : found[1];
        },
    },
  });
  return {
    name: 'records',
    typeDefs,
    registry,
    get schema() {
      return registry.schema();
    },
    schemaFor: (document) => registry.schemaFor(document),
    shortcutFor: (document) => registry.shortcutFor(document),
    start: async () => undefined,
    close: async () => undefined,
  };
};

/** The four subgraphs with their real SDL and fixed answers. */
export interface SampleSubgraphs {
  readonly catalog: Subgraph;
  readonly governance: Subgraph;
  readonly records: SampleRecords;
  readonly assembly: Subgraph;
}

export const createSampleSubgraphs = (maxSchemaBytes = 8 * 2 ** 20): SampleSubgraphs => ({
  catalog: catalog(),
  governance: governance(),
  records: records(maxSchemaBytes),
  assembly: assembly(),
});

/** A caller who may do everything. */
export const allPermitted: Principal = {
  kind: 'PERSON',
  uuid: '0190c000-0000-7000-8000-0000000000ff',
  username: 'dgs',
  zones: [],
  defaultZoneUuid: zoneUuid,
  permits: () => true,
};

/** A caller who may do nothing. */
export const nothingPermitted: Principal = { ...allPermitted, username: 'nobody', permits: () => false };

/** A new context of the caller's request. */
export const contextOf = (principal: Principal = allPermitted): RequestContext => ({
  principal,
  requestId: 'request-1',
});

/** A record type with a field of each kind; `related`, `relatedNames`, `best` and `tags { best }` refer to the target. */
export const recordType = (name: string, target?: string): RecordTypeDefinition => {
  const typeName = `dr_${name}_1`;
  const field = (propertyName: string, path = propertyName) => ({ graphqlName: propertyName, propertyName, path });
  const references = (
    options: { readonly list: boolean; readonly property?: string },
    ...names: readonly Parameters<typeof field>[]
  ): readonly RecordField[] =>
    target === undefined
      ? []
      : names.map((at) => ({
          ...field(...at),
          kind: 'reference',
          typeName: `dr_${target}_1`,
          list: options.list,
          reference: {
            domain: target,
            version: 1,
            multivalued: options.list,
            ...(options.property === undefined ? {} : { property: options.property }),
          },
        }));
  return {
    typeName,
    pageTypeName: `${typeName}_page`,
    domainName: name,
    domainUuid: zoneUuid,
    versionNumber: 1,
    domainVersionUuid: typeUuid,
    domainType: 'SERVICE_DATA_STORE',
    fields: [
      { ...field('id'), kind: 'scalar', scalar: 'Long' },
      { ...field('name'), kind: 'scalar', scalar: 'String', description: 'Full "name".' },
      { ...field('big'), kind: 'scalar', scalar: 'Long' },
      { ...field('ratio'), kind: 'scalar', scalar: 'Float' },
      { ...field('since'), kind: 'scalar', scalar: 'DateTime' },
      { ...field('state'), kind: 'scalar', scalar: 'String', enumName: `${typeName}__state` },
      { ...field('address'), kind: 'nested', typeName: `${typeName}__address`, list: false },
      { ...field('tags'), kind: 'nested', typeName: `${typeName}__tags`, list: true },
      ...references({ list: true }, ['related']),
      ...references({ list: true, property: 'name' }, ['relatedNames']),
      ...references({ list: true, property: 'state' }, ['relatedStates']),
      ...references({ list: false }, ['best']),
    ],
    enums: [{ typeName: `${typeName}__state`, values: ['OPEN', 'closed'] }],
    nestedTypes: [
      {
        typeName: `${typeName}__address`,
        fields: [{ ...field('city', 'address.city'), kind: 'scalar', scalar: 'String' }],
      },
      {
        typeName: `${typeName}__tags`,
        fields: [
          { ...field('label', 'tags.label'), kind: 'scalar', scalar: 'String' },
          ...references({ list: false }, ['best', 'tags.best']),
        ],
      },
    ],
  };
};

/** Accepts the tokens `good` (everything permitted), `poor` (nothing), `later` and `broken`, and refuses others. */
export const sampleAuthenticate = async (header: string | undefined): Promise<Principal> => {
  switch (header) {
    case 'Bearer good':
      return allPermitted;
    case 'Bearer poor':
      return nothingPermitted;
    case 'Bearer later':
      throw new AppError('UNAVAILABLE', 'the database cannot be reached');
    case 'Bearer broken':
      throw new Error('insides');
    default: {
      const reason = header === undefined || header === '' ? 'missing' : 'invalid';
      throw new AppError('UNAUTHENTICATED', 'a token is needed', { details: { reason } });
    }
  }
};
