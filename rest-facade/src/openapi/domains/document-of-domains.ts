import { stringifyJson } from '@fds/json';
import type { JsonSchema } from '../schema-registry.js';
import { describeRecords, type GeneralSchemas, type RecordSchemas } from './record-schemas.js';
import type { RecordVersion } from './record-version.js';
import { sampleRecord } from './sample-record.js';

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, Media>>;

interface Operation {
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The members of the OpenAPI document that domains narrow. */
interface GeneralDocument extends JsonSchema {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonSchema & { readonly schemas: GeneralSchemas & Readonly<Record<string, JsonSchema>> };
}

/** One of several schemas, or the schema itself if there is only one. */
const either = (schemas: readonly JsonSchema[]): JsonSchema => {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
};

const withJson = (content: Content, change: (media: Media) => Media): Content =>
  Object.fromEntries(
    Object.entries(content).map(([mediaType, media]) => [
      mediaType,
      /[/+]json$/.test(mediaType) ? change(media) : media,
    ]),
  );

const withBody = (operation: Operation, change: (schema: JsonSchema) => JsonSchema, example: unknown): Operation => ({
  ...operation,
  requestBody: {
    ...operation.requestBody,
    content: withJson(operation.requestBody?.content ?? {}, ({ schema }) => ({
      schema: change(schema),
      ...(example === undefined ? {} : { example }),
    })),
  },
});

const withAnswer = (operation: Operation, status: string, change: (schema: JsonSchema) => JsonSchema): Operation => {
  const response = operation.responses[status] ?? {};
  const content = withJson(response.content ?? {}, ({ schema, ...media }) => ({ ...media, schema: change(schema) }));
  return { ...operation, responses: { ...operation.responses, [status]: { ...response, content } } };
};

/** Removes examples of answers, since they show a record of another domain. */
const withoutAnswerExamples = (operation: Operation): Operation => {
  const { 200: answer = {}, ...others } = operation.responses;
  const content = Object.entries(answer.content ?? {}).map(([mediaType, { schema }]) => [mediaType, { schema }]);
  return {
    ...operation,
    responses: { ...others, 200: { ...answer, content: Object.fromEntries(content) as Content } },
  };
};

const withFilters = (operation: Operation, example: string): Operation => ({
  ...operation,
  parameters: (operation.parameters ?? []).map((parameter) =>
    parameter['name'] === 'filters' ? { ...parameter, example } : parameter,
  ),
});

const withListed = (list: JsonSchema, listed: JsonSchema): JsonSchema => ({
  ...list,
  properties: { ...(list['properties'] as object), drs: { type: 'array', items: listed } },
});

/** A version with the schema of its records. */
interface DescribedVersion {
  readonly version: RecordVersion;
  readonly schemas: RecordSchemas;
}

type PathItems = GeneralDocument['paths'];
type Schemas = Readonly<Record<string, JsonSchema>>;

type Narrow = (operation: Operation) => Operation;

/** For each operation on records, a function that narrows it to the described records, by path and method. */
const narrowingsFor = (
  described: readonly [DescribedVersion, ...DescribedVersion[]],
): readonly (readonly [path: string, method: string, narrow: Narrow])[] => {
  const each = (key: 'listed' | 'record' | 'input' | 'data'): JsonSchema =>
    either(described.map(({ schemas }) => schemas[key]));
  const stored = described.filter(({ version }) => version.domainType === 'SERVICE_DATA_STORE');
  const patches = stored.flatMap(({ schemas: { patch } }) => (patch === undefined ? [] : [patch]));
  const { domainName: name, versionNumber: version, modelSchema } = (stored[0] ?? described[0]).version;
  const json = sampleRecord(modelSchema);
  const filters = `name:${name},version:${version}`;
  const record = (): JsonSchema => each('record');
  const patch: Narrow = (operation) =>
    withBody(
      withAnswer(operation, '200', () => either(stored.map(({ schemas }) => schemas.record))),
      () => either(patches),
      json,
    );
  return [
    [
      '/drs',
      'get',
      (list) =>
        withFilters(
          withAnswer(list, '200', (page) => withListed(page, each('listed'))),
          filters,
        ),
    ],
    [
      '/drs',
      'post',
      (create) => withBody(withAnswer(create, '201', record), () => each('input'), json && { name, version, json }),
    ],
    ['/drs/{drUuid}', 'get', (read) => withAnswer(read, '200', record)],
    ...(patches.length === 0 ? [] : [['/drs/{drUuid}', 'patch', patch] as const]),
    [
      '/drs/bulk',
      'post',
      (load) =>
        withFilters(
          withBody(load, () => ({ type: 'array', items: each('data') }), json && [json]),
          filters,
        ),
    ],
    [
      '/request',
      'post',
      (ask) =>
        withBody(withoutAnswerExamples(ask), (schema) => schema, { domain: name, versionNumber: version, size: 10 }),
    ],
  ];
};

const narrowPaths = (general: PathItems, described: readonly [DescribedVersion, ...DescribedVersion[]]): PathItems => {
  const paths = { ...general };
  for (const [path, method, narrow] of narrowingsFor(described)) {
    const operation = paths[path]?.[method];
    if (operation !== undefined) paths[path] = { ...paths[path], [method]: narrow(operation) };
  }
  return paths;
};

type Members = Readonly<Record<string, JsonSchema>>;

/**
 * An assembly request whose DR Keys are those of the described records. Text is still accepted where it was. The
 * example is removed, since its DR Key belongs to another domain.
 */
const withDrKeys = ({ examples: _examples, ...request }: JsonSchema, keys: readonly JsonSchema[]): JsonSchema => {
  const { drKeys = {}, ...others } = request['properties'] as Members;
  const takesText = [(drKeys['items'] as JsonSchema | undefined)?.['type']].flat().includes('string');
  const items = either([...keys, ...(takesText ? [{ type: 'string' }] : [])]);
  return { ...request, properties: { ...others, drKeys: { ...drKeys, items } } };
};

/** The general schemas of the assembly service, with the records, patches and DR Keys of the described versions. */
const narrowAssembly = (schemas: Schemas, described: readonly DescribedVersion[]): Schemas => {
  const each = (key: 'assembled' | 'assembledPatch' | 'drKey'): JsonSchema[] =>
    described.flatMap(({ schemas }) => {
      const one = schemas[key];
      return one === undefined ? [] : [one];
    });
  const ofRecords = { AssembledDataRecord: each('assembled'), AssembledDataRecordPatch: each('assembledPatch') };
  const requests = ['AssemblyRequest', 'VirtualizationRequest'].flatMap((name) => {
    const request = schemas[name];
    return request === undefined ? [] : [[name, withDrKeys(request, each('drKey'))] as const];
  });
  const records = Object.entries(ofRecords).filter(([, own]) => own.length > 0);
  return Object.fromEntries([...requests, ...records.map(([name, own]) => [name, either(own)] as const)]);
};

/** General schemas that may become unused, in addition to those of the domains. */
const narrowedNames = ['ListedDataRecord', 'DataRecord', 'DataRecordInput', 'DataRecordReference'];

/** Removes general schemas without references, and the excluded ones. */
const withoutUnused = (schemas: Schemas, paths: PathItems): Schemas => {
  const text = stringifyJson([paths, schemas]);
  const unused = narrowedNames.find((name) => name in schemas && !text.includes(`"#/components/schemas/${name}"`));
  if (unused === undefined) return schemas;
  const { [unused]: _unused, ...used } = schemas;
  return withoutUnused(used, paths);
};

/** Key of a version, for cross-references. */
const versionKey = (domainName: string, versionNumber: number): string =>
  `${domainName.toLowerCase()}:${versionNumber}`;

/**
 * The OpenAPI document in which the records of some versions are described by their own properties. The general
 * document stays unchanged.
 *
 * @param graphiqlUrl address of the GraphiQL page, for the example query of each record type
 */
export const documentOfDomains = (
  general: JsonSchema,
  versions: readonly [RecordVersion, ...RecordVersion[]],
  graphiqlUrl: string,
): JsonSchema => {
  const { paths, components, ...rest } = general as GeneralDocument;
  const added: Record<string, JsonSchema> = {};
  const refer = (name: string, schema: JsonSchema): JsonSchema => {
    added[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const typeNames = new Map(
    versions.map(({ domainName, versionNumber, typeName }) => [versionKey(domainName, versionNumber), typeName]),
  );
  const describe = (version: RecordVersion): DescribedVersion => ({
    version,
    schemas: describeRecords(version, components.schemas, {
      refer,
      findTarget: (domainName, versionNumber) => {
        const typeName = typeNames.get(versionKey(domainName, versionNumber));
        return typeName === undefined ? undefined : { $ref: `#/components/schemas/${typeName}` };
      },
      isOnly: versions.filter(({ domainName }) => domainName === version.domainName).length === 1,
      exampleQueryUrl: `${graphiqlUrl}?recordType=${encodeURIComponent(version.typeName)}`,
    }),
  });
  const [first, ...others] = versions;
  const described = [describe(first), ...others.map(describe)] as const;
  const narrowed = narrowPaths(paths, [...described]);
  const schemas = {
    ...components.schemas,
    ...added,
    ...narrowAssembly(components.schemas, described),
  };
  return { ...rest, paths: narrowed, components: { ...components, schemas: withoutUnused(schemas, narrowed) } };
};
