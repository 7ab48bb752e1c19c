import { objectOf, requireMember, type ListShape, type Shape } from '../answer/answer-shape.js';
import { resourceShape } from '../operation/compile-endpoint.js';
import { tagKindOf } from '../operation/compile-tag.js';
import type { EndpointDeclaration, GraphqlRoute } from '../route.js';
import type { Operation } from '../operation/read-operation.js';
import type { AnswerHeader } from './answer-headers.js';
import { headerParametersOf } from './header-parameters.js';
import { recordData } from './json-members.js';
import { namedInputSchema, shapeSchema } from './json-schema.js';
import { withNames, type JsonSchema, type SchemaRegistry } from './schema-registry.js';
import { parametersOf, type Parameter } from './parameters.js';
import { refusalsOf, type Refusal } from './refusals-of.js';

/** The description of an endpoint in the OpenAPI document and in GET `/endpoints`. */
export interface EndpointDescription {
  readonly declaration: EndpointDeclaration;
  /** `optional`: some requests need a token. */
  readonly access: 'permitted' | 'open' | 'optional';
  /** Base address of the path, if it is not `/api` of the server. */
  readonly serverUrl?: string;
  readonly parameters: readonly Parameter[];
  /** Other query parameters are ignored. Without this member they are refused. */
  readonly ignoresOthers?: true;
  /** Media type to schema of the body; undefined when it has no body. */
  readonly bodies?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly answers: readonly AnswerDescription[];
  /** Statuses of its refusals, in addition to those of every server. */
  readonly refused: readonly Refusal[];
}

/** A success. */
interface AnswerDescription {
  readonly status: number;
  readonly summary: string;
  /** Media type to schema; empty when there is no body. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  /** Media type to an example of the answer. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** Headers in addition to those of every answer. */
  readonly headers: readonly AnswerHeader[];
}

const bodySchema = (
  { body, ...route }: GraphqlRoute,
  operation: Operation,
  registry: SchemaRegistry,
): JsonSchema | undefined => {
  const shown = resourceShape(route, operation);
  const typed = (variable: string): JsonSchema => {
    const type = operation.variables.get(variable);
    return type === undefined ? {} : namedInputSchema(variable, type, registry, shown);
  };
  if (body === undefined) return undefined;
  if (body.kind === 'object') return typed(body.variable);
  if (body.kind === 'members') {
    const properties = Object.fromEntries(body.variables.map((variable) => [variable, typed(variable)]));
    return { type: 'object', properties };
  }
  const list = typed(body.variable);
  if (body.kind === 'list') {
    return { oneOf: [list, { type: 'object', properties: { [body.wrapper]: list }, required: [body.wrapper] }] };
  }
  return { oneOf: [list['items'], list] };
};

const linksSchema: JsonSchema = {
  type: 'object',
  description: 'Absolute addresses of pages; next is absent on the last page, prev on the first',
  properties: Object.fromEntries(
    ['self', 'first', 'last', 'next', 'prev'].map((name) => [name, { type: 'string', format: 'uri' }]),
  ),
  required: ['self', 'first', 'last'],
};

const answerSchema = (route: GraphqlRoute, operation: Operation, registry: SchemaRegistry): JsonSchema => {
  const { collection } = route;
  const { result } = operation;
  if (collection === undefined) return shapeSchema(resourceShape(route, operation), registry);
  if (result.kind === 'list') {
    const one = shapeSchema({ ...result.element, nullable: false }, registry);
    const many = {
      type: 'object',
      properties: { [collection]: { type: 'array', items: one } },
      required: [collection],
    };
    return { oneOf: [one, many] };
  }
  const { element } = requireMember(result, 'data') as ListShape;
  return {
    type: 'object',
    properties: {
      [collection]: { type: 'array', items: shapeSchema({ ...element, nullable: false }, registry) },
      _links: registry.refer('Links', linksSchema),
      _page: shapeSchema(requireMember(result, 'page'), registry),
    },
    required: [collection, '_links', '_page'],
  };
};

const fileSchemas: Readonly<Record<string, JsonSchema>> = {
  'application/json': {
    type: 'array',
    items: recordData,
    description: 'Records; a row that is not an object is reported as failed',
  },
  'application/x-ndjson': { type: 'string', description: 'An object a line' },
  'text/csv': {
    type: 'string',
    description: 'A header row, nested properties by dots; an empty cell is absent, a quoted empty one blank',
  },
  'multipart/form-data': {
    type: 'object',
    properties: {
      file: { type: 'string', format: 'binary', description: 'Any of the others, by its content type or extension' },
    },
    required: ['file'],
  },
};

const documentSchemas: Readonly<Record<string, JsonSchema>> = {
  'application/yaml': { type: 'string', description: 'Documents of `kind`, `name` and `spec`' },
  'application/json': {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        kind: { type: 'string' },
        name: { type: 'string' },
        spec: { type: 'object', additionalProperties: true },
      },
      required: ['kind', 'name'],
    },
    description: 'GET /api/configuration-schema.json describes the documents',
  },
};

const bodiesOf = (
  route: GraphqlRoute,
  operation: Operation,
  registry: SchemaRegistry,
): EndpointDescription['bodies'] => {
  if (route.receives !== undefined) return fileSchemas;
  if (route.takesDocuments === true) return documentSchemas;
  const schema = bodySchema(route, operation, registry);
  if (schema === undefined) return undefined;
  const json = { 'application/json': schema };
  return route.method === 'PATCH' ? { ...json, 'application/merge-patch+json': schema } : json;
};

const statusSummaries = { 200: 'Done', 201: 'Created', 202: 'Under way', 204: 'Done, without content' } as const;

/** An answer without a resource, such as the faults of a validated version, has no version. */
const versionHeader = (method: GraphqlRoute['method'], shape: Shape): Partial<AnswerHeader> => {
  const version = objectOf(shape)?.members.find(({ name }) => name === 'changeVersion');
  return method !== 'GET' && version?.always === false ? { sometimes: true } : {};
};

/** A line of an answer that consists of lines. */
const lineContent = (
  { lines }: GraphqlRoute,
  { result }: Operation,
  registry: SchemaRegistry,
): Readonly<Record<string, JsonSchema>> => {
  if (lines === undefined) return {};
  const { element } = requireMember(result, lines.list) as ListShape;
  return { 'application/x-ndjson': shapeSchema({ ...element, nullable: false }, registry) };
};

/** Describes every success of a route. */
const answersOf = (route: GraphqlRoute, operation: Operation, registry: SchemaRegistry): AnswerDescription[] => {
  const { method, status, body, dryRunVariable, location } = route;
  const schema = answerSchema(route, operation, registry);
  const content: Readonly<Record<string, JsonSchema>> =
    status === 204 ? {} : { 'application/json': schema, ...lineContent(route, operation, registry) };
  const replayed: AnswerHeader[] =
    method === 'POST' && operation.kind === 'mutation' ? [{ name: 'Idempotency-Replayed' }] : [];
  // an answer with several resources has neither address nor version
  const some = body?.kind === 'oneOrMany' ? ({ sometimes: true } as const) : {};
  const shape = resourceShape(route, operation);
  const isTagged = tagKindOf(route, shape) !== 'none';
  const tag: AnswerHeader[] = isTagged ? [{ name: 'ETag', ...some, ...versionHeader(method, shape) }] : [];
  const address: AnswerHeader[] = location === undefined ? [] : [{ name: 'Location', ...some }];
  const answer = (
    of: keyof typeof statusSummaries,
    headers: AnswerHeader[],
    summary: string = statusSummaries[of],
  ) => ({
    status: of,
    summary,
    content: of === 204 ? {} : content,
    headers: [...headers, ...replayed],
  });
  return [
    answer(status, [...tag, ...address]),
    ...(dryRunVariable === undefined || status === 200 ? [] : [answer(200, [], 'Validated, nothing saved')]),
    ...(route.emptyWithout === undefined ? [] : [answer(204, [])]),
    ...(isTagged && method === 'GET'
      ? [{ status: 304, summary: 'The caller has it already', content: {}, headers: tag }]
      : []),
  ];
};

/** Describes a route from the types of its document. */
export const describeRoute = (
  route: GraphqlRoute,
  operation: Operation,
  schemas: SchemaRegistry,
): EndpointDescription => {
  const registry = withNames(schemas, route.schemaNames);
  return {
    declaration: route,
    access: 'permitted',
    parameters: [...parametersOf(route, operation, registry), ...headerParametersOf(route, operation)],
    bodies: bodiesOf(route, operation, registry),
    answers: answersOf(route, operation, registry),
    refused: refusalsOf(route, tagKindOf(route, resourceShape(route, operation))),
  };
};
