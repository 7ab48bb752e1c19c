import type { BodyDeclaration, EndpointDeclaration, GraphqlRoute } from '../route.js';
import type { Operation } from '../operation/read-operation.js';
import { headerParametersOf } from './header-parameters.js';
import { inputSchema, shapeSchema, type JsonSchema, type SchemaRegistry } from './json-schema.js';
import { parametersOf, type Parameter } from './parameters.js';
import type { ListShape } from '../answer/answer-shape.js';
import { requireMember } from '../answer/answer-shape.js';

/** What the OpenAPI document and GET `/endpoints` tell of an endpoint. */
export interface EndpointDescription {
  readonly declaration: EndpointDeclaration;
  readonly access: 'permitted' | 'open';
  readonly parameters: readonly Parameter[];
  readonly body?: JsonSchema | undefined;
  /** Media type to schema, where the body is a file. */
  readonly files?: Readonly<Record<string, JsonSchema>>;
  readonly answers: readonly {
    readonly status: number;
    readonly summary: string;
    /** Media type to schema; empty: no body. */
    readonly content: Readonly<Record<string, JsonSchema>>;
  }[];
}

const bodySchema = (
  body: BodyDeclaration | undefined,
  { variables }: Operation,
  registry: SchemaRegistry,
): JsonSchema | undefined => {
  const typed = (variable: string): JsonSchema => {
    const type = variables.get(variable);
    return type === undefined ? {} : inputSchema(type, registry);
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

const answerSchema = ({ collection }: GraphqlRoute, { result }: Operation, registry: SchemaRegistry): JsonSchema => {
  if (collection === undefined) return shapeSchema(result, registry);
  if (result.kind === 'list') {
    const one = shapeSchema(result.element, registry);
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
      [collection]: { type: 'array', items: shapeSchema(element, registry) },
      _links: registry.refer('Links', linksSchema),
      _page: shapeSchema(requireMember(result, 'page'), registry),
    },
    required: [collection, '_links', '_page'],
  };
};

const tokenProperties: JsonSchema = {
  active: { type: 'boolean' },
  clientId: { type: 'string' },
  issuer: { type: 'string' },
  issuedAt: { type: 'integer', format: 'int64' },
  expiresAt: { type: 'integer', format: 'int64' },
  scope: { type: 'string' },
};

const fileSchemas: Readonly<Record<string, JsonSchema>> = {
  'application/json': { type: 'array', items: { type: 'object' } },
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

const statusSummaries = { 200: 'Done', 201: 'Created', 202: 'Under way', 204: 'Done, nothing to tell' } as const;

/** Describes a route from the types of its document. */
export const describeRoute = (
  route: GraphqlRoute,
  operation: Operation,
  registry: SchemaRegistry,
): EndpointDescription => {
  const { status, body, dryRunVariable, withTokenClaims } = route;
  const own = answerSchema(route, operation, registry);
  const schema = withTokenClaims === true ? { allOf: [own, { type: 'object', properties: tokenProperties }] } : own;
  const content: Readonly<Record<string, JsonSchema>> = status === 204 ? {} : { 'application/json': schema };
  const dryRun =
    dryRunVariable === undefined || status === 200
      ? []
      : [{ status: 200, summary: 'Validated, nothing saved', content }];
  const headers = headerParametersOf(route, operation);
  const isTagged = headers.some(({ name }) => name === 'If-None-Match');
  const known = isTagged ? [{ status: 304, summary: 'The caller has it already', content: {} }] : [];
  const empty = route.emptyWithout === undefined ? [] : [{ status: 204, summary: statusSummaries[204], content: {} }];
  return {
    declaration: route,
    access: 'permitted',
    parameters: [...parametersOf(route, operation.variables, registry), ...headers],
    ...(route.receives === undefined ? { body: bodySchema(body, operation, registry) } : { files: fileSchemas }),
    answers: [{ status, summary: statusSummaries[status], content }, ...dryRun, ...empty, ...known],
  };
};
