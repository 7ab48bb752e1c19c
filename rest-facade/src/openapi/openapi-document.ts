import { bodyExampleOf } from './body-examples.js';
import { headerComponents, headersObject } from './answer-headers.js';
import type { EndpointDescription } from './describe-endpoint.js';
import type { JsonSchema, SchemaRegistry } from './schema-registry.js';
import type { Parameter } from './parameters.js';
import { problemComponents, problemSchema } from './problem-responses.js';
import { refusals } from './refusals-of.js';
import { tagDescriptions } from './tag-descriptions.js';

/** Each of these gives access to an endpoint. */
const securityOfAll: readonly JsonSchema[] = [{ bearer: [] }, { clientCredentials: [] }];

const apiDescription = [
  'Times are epoch milliseconds. Integers have 64 bits; none loses a digit.',
  'With `fields`, an answer has the members it names and no others: those that a schema requires may be missing.',
  'In `filters` and `options`, values of a list are separated by colons, and a value that holds a comma or a colon stands in double quotes.',
  'The keys of `filters`, `options` and `sort` are listed as `x-keys`, with the schemas of their values.',
  'In addition to the listed members, a body may contain those in which the resource is shown; they are ignored. Any other is refused.',
].join(' ');

type ByMediaType<Value> = Readonly<Record<string, Value>>;

const mediaTypes = (content: ByMediaType<JsonSchema>, examples: ByMediaType<unknown> = {}): JsonSchema =>
  Object.fromEntries(
    Object.entries(content).map(([mediaType, schema]) => [
      mediaType,
      { schema, ...(mediaType in examples ? { example: examples[mediaType] } : {}) },
    ]),
  );

/** The keys of a parameter are an extension, because OpenAPI cannot describe `key:value`. */
const parameterObject = ({ keys, ...parameter }: Parameter): JsonSchema =>
  keys === undefined ? parameter : { ...parameter, 'x-keys': keys };

/** The body of an operation, with one example for each media type of JSON. */
const requestBodyObject = (operationId: string, bodies: ByMediaType<JsonSchema>): JsonSchema => {
  const example = bodyExampleOf(operationId);
  const jsonTypes = Object.keys(bodies).filter((mediaType) => /[/+]json$/.test(mediaType));
  const examples = example === undefined ? [] : jsonTypes.map((mediaType) => [mediaType, example]);
  return { required: true, content: mediaTypes(bodies, Object.fromEntries(examples)) };
};

const accessMembers: Readonly<Record<EndpointDescription['access'], (needed: string) => JsonSchema>> = {
  permitted: (needed) => ({ description: `Needs the permission \`${needed}\`.` }),
  open: () => ({ security: [], description: 'Needs no token.' }),
  optional: () => ({ security: [{}, ...securityOfAll], description: 'Needs a token with parameters only.' }),
};

const operationObject = (description: EndpointDescription): JsonSchema => {
  const { declaration, access, serverUrl, parameters, ignoresOthers, bodies, answers, refused } = description;
  const { operationId, tag, summary, method, path, permission } = declaration;
  const needed = permission === undefined ? `${method} ${path}` : `${permission.action} ${permission.path}`;
  const responses = answers.map(({ status, summary: text, content, examples, headers }) => [
    String(status),
    {
      description: text,
      headers: headersObject(headers),
      ...(Object.keys(content).length === 0 ? {} : { content: mediaTypes(content, examples) }),
    },
  ]);
  const problems = refused.map((status) => [String(status), { $ref: `#/components/responses/${refusals[status]}` }]);
  return {
    operationId,
    summary,
    tags: [tag],
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    ...accessMembers[access](needed),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(ignoresOthers === true ? { 'x-ignores-other-parameters': true } : {}),
    ...(bodies === undefined ? {} : { requestBody: requestBodyObject(operationId, bodies) }),
    responses: {
      ...Object.fromEntries([...responses, ...problems]),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
};

/** The OpenAPI 3.1 document of the described endpoints and the schemas of the registry. */
export const openapiDocument = (
  descriptions: readonly EndpointDescription[],
  registry: SchemaRegistry,
  baseUrl: string,
): JsonSchema => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const description of descriptions) {
    const { path, method } = description.declaration;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(description) };
  }
  const tags = [...new Set(descriptions.map(({ declaration }) => declaration.tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Federated Data Service',
      version: '1',
      description: apiDescription,
      contact: { name: 'Start page of the service', url: baseUrl },
      license: { name: 'Proprietary: the file LICENSE of the service', identifier: 'LicenseRef-proprietary' },
    },
    servers: [{ url: `${baseUrl}/api` }],
    security: securityOfAll,
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of /oauth2/token' },
        clientCredentials: {
          type: 'oauth2',
          description: 'A token for the credentials of an adaptor or a service account',
          flows: { clientCredentials: { tokenUrl: `${baseUrl}/oauth2/token`, scopes: {} } },
        },
      },
      headers: headerComponents(),
      responses: problemComponents(),
      schemas: { ...registry.schemas, Problem: problemSchema },
    },
  };
};
