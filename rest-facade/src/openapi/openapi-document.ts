import type { EndpointDescription } from './describe-endpoint.js';
import type { JsonSchema, SchemaRegistry } from './json-schema.js';

const problemSchema: JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', description: 'Stable word' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      description: 'Every cause, where there are several',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON pointer into the body, or the name of a parameter' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
        required: ['pointer', 'code', 'detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
};

const jsonContent = (content: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.fromEntries(Object.entries(content).map(([mediaType, schema]) => [mediaType, { schema }]));

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** Headers of an answer: where what was created is, and the tag of what a condition can be held against. */
const headersOf = ({ declaration, parameters }: EndpointDescription, status: number): JsonSchema => {
  const isTagged = parameters.some(({ name }) => name === 'If-None-Match' || name === 'If-Match');
  return {
    ...requestId,
    ...(isTagged && status !== 204 ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...(status === 201 && declaration.method === 'POST' ? { Location: { $ref: '#/components/headers/Location' } } : {}),
  };
};

const header = (description: string): JsonSchema => ({ description, schema: { type: 'string' } });

const operationObject = (description: EndpointDescription): JsonSchema => {
  const { declaration, access, parameters, body, files, answers } = description;
  const content = files ?? (body === undefined ? undefined : { 'application/json': body });
  const { operationId, tag, summary, method, path, permission } = declaration;
  const needed = permission === undefined ? `${method} ${path}` : `${permission.action} ${permission.path}`;
  const responses = answers.map(({ status, summary: told, content }) => [
    String(status),
    {
      description: told,
      headers: headersOf(description, status),
      ...(Object.keys(content).length === 0 ? {} : { content: jsonContent(content) }),
    },
  ]);
  return {
    operationId,
    summary,
    tags: [tag],
    ...(access === 'open' ? { security: [] } : { description: `Needs the permission \`${needed}\`.` }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(content === undefined ? {} : { requestBody: { required: true, content: jsonContent(content) } }),
    responses: { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Problem' } },
  };
};

/** The OpenAPI 3.1 document of the endpoints described with the registry. */
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
  return {
    openapi: '3.1.0',
    info: {
      title: 'Federated Data Service',
      version: '1',
      description: 'Times are epoch milliseconds. Integers have 64 bits; none loses a digit.',
    },
    servers: [{ url: `${baseUrl}/api` }],
    security: [{ bearer: [] }],
    tags: [...new Set(descriptions.map(({ declaration }) => declaration.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: {
        'X-Request-Id': header('Id of the request, the one sent or a new one'),
        ETag: header('Entity tag; begins with the changeVersion where there is one'),
        Location: header('Address of what was created'),
      },
      responses: {
        Problem: {
          description: 'Refused or failed',
          headers: requestId,
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      schemas: { ...registry.schemas, Problem: problemSchema },
    },
  };
};
