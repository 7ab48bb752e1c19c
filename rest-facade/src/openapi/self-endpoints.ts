import { configurationSchema } from '../configuration/configuration-schema.js';
import type { OpenEndpoint, PermittedEndpoint } from '../http/endpoint.js';
import { requireNoQuery } from '../query/require-no-query.js';
import type { EndpointDeclaration } from '../route.js';
import type { EndpointDescription } from './describe-endpoint.js';
import type { JsonSchema } from './schema-registry.js';
import type { Parameter } from './parameters.js';
import { refusalsOfPermitted } from './refusals-of.js';

const json = 'application/json';
const common = { method: 'GET', tag: 'Miscellaneous' } as const;

const endpointsDeclaration: EndpointDeclaration = {
  ...common,
  path: '/endpoints',
  operationId: 'listEndpoints',
  summary: 'List every endpoint with its parameters and the permission it needs',
};

export const openapiDeclaration: EndpointDeclaration = {
  ...common,
  path: '/openapi.json',
  operationId: 'getOpenapi',
  summary: 'Read this document, or with `domains` the one that describes the records of those domains',
};

const configurationSchemaDeclaration: EndpointDeclaration = {
  method: 'GET',
  tag: 'Configuration',
  path: '/configuration-schema.json',
  operationId: 'getConfigurationSchema',
  summary: 'Read the JSON Schema of documents of configuration',
};

/** Describes `domains` of GET `/openapi.json`. */
const domainsParameter: Parameter = {
  name: 'domains',
  in: 'query',
  required: false,
  description:
    'Names of domains. The records of their live versions that the caller may see are described by their own properties; this needs a token',
  style: 'form',
  explode: false,
  schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
};

const text: JsonSchema = { type: 'string' };

const endpointSchema: JsonSchema = {
  type: 'object',
  properties: {
    operationId: text,
    method: text,
    path: text,
    summary: text,
    permission: {
      type: ['object', 'null'],
      description: 'The permission that a caller needs; null: none',
      properties: { action: text, resource: text },
      required: ['action', 'resource'],
    },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: text, in: text, required: { type: 'boolean' }, description: text },
        required: ['name', 'in', 'required'],
      },
    },
  },
  required: ['operationId', 'method', 'path', 'summary', 'permission', 'parameters'],
};

const endpointsSchema: JsonSchema = {
  type: 'object',
  properties: { endpoints: { type: 'array', items: endpointSchema } },
  required: ['endpoints'],
};

const anyMembers: JsonSchema = { type: 'object', additionalProperties: true };

const documentSchema: JsonSchema = {
  type: 'object',
  description: 'An OpenAPI document',
  properties: {
    openapi: text,
    info: {
      type: 'object',
      properties: { title: text, version: text },
      required: ['title', 'version'],
      additionalProperties: true,
    },
    paths: { type: 'object', additionalProperties: anyMembers, description: 'Path to its operations' },
    components: anyMembers,
  },
  required: ['openapi', 'info', 'paths', 'components'],
  additionalProperties: true,
};

const answerOf = (summary: string, schema: JsonSchema): EndpointDescription['answers'] => [
  { status: 200, summary, content: { [json]: schema }, headers: [] },
];

/** The descriptions of the endpoints that describe the API. */
export const selfDescriptions: readonly EndpointDescription[] = [
  {
    declaration: endpointsDeclaration,
    access: 'permitted',
    parameters: [],
    answers: answerOf('The endpoints', endpointsSchema),
    refused: refusalsOfPermitted,
  },
  {
    declaration: openapiDeclaration,
    access: 'optional',
    parameters: [domainsParameter],
    answers: answerOf('OpenAPI 3.1', documentSchema),
    refused: [400, 401, 404, 406, 429],
  },
  {
    declaration: configurationSchemaDeclaration,
    access: 'open',
    parameters: [],
    answers: answerOf('A JSON Schema', anyMembers),
    refused: [400, 406],
  },
];

/** GET `/configuration-schema.json` */
export const configurationSchemaEndpoint = (baseUrl: string): OpenEndpoint => {
  let body: string | undefined;
  return {
    declaration: configurationSchemaDeclaration,
    access: 'open',
    offers: [json],
    serve: () => ({
      status: 200,
      body: (body ??= JSON.stringify(configurationSchema(`${baseUrl}/api${configurationSchemaDeclaration.path}`))),
    }),
  };
};

const permissionOf = ({ method, path, permission }: EndpointDeclaration) =>
  permission === undefined
    ? { action: method, resource: path }
    : { action: permission.action, resource: permission.path };

const renderEndpoints = (descriptions: readonly EndpointDescription[]): string => {
  // only the OpenAPI document contains paths of other servers
  const own = descriptions.filter(({ serverUrl }) => serverUrl === undefined);
  const endpoints = own.map(({ declaration, access, parameters }) => ({
    operationId: declaration.operationId,
    method: declaration.method,
    path: declaration.path,
    summary: declaration.summary,
    permission: access === 'permitted' ? permissionOf(declaration) : null,
    parameters: parameters.map(({ name, in: place, required, description }) => ({
      name,
      in: place,
      required,
      ...(description === undefined ? {} : { description }),
    })),
  }));
  return JSON.stringify({ endpoints });
};

/** GET `/endpoints` (docs/reference/access.md#overviews). @param describe called once, at the first request */
export const endpointsEndpoint = (describe: () => readonly EndpointDescription[]): PermittedEndpoint => {
  let body: string | undefined;
  return {
    declaration: endpointsDeclaration,
    access: 'permitted',
    offers: [json],
    serve: ({ query }) => {
      requireNoQuery(query);
      body ??= renderEndpoints(describe());
      return { status: 200, body };
    },
  };
};
