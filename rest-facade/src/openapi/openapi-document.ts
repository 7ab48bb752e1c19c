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

const operationObject = (description: EndpointDescription): JsonSchema => {
  const { declaration, access, parameters, body, answers } = description;
  const { operationId, tag, summary, method, path } = declaration;
  const responses = answers.map(({ status, summary: told, content }) => [
    String(status),
    { description: told, ...(Object.keys(content).length === 0 ? {} : { content: jsonContent(content) }) },
  ]);
  return {
    operationId,
    summary,
    tags: [tag],
    ...(access === 'open' ? { security: [] } : { description: `Needs the permission \`${method} ${path}\`.` }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
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
      responses: {
        Problem: {
          description: 'Refused or failed',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      schemas: { ...registry.schemas, Problem: problemSchema },
    },
  };
};
