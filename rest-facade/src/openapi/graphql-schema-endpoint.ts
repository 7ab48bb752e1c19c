import { AppError } from '@fds/errors';
import type { GraphqlExecutor } from '@fds/graphql';
import { buildClientSchema, getIntrospectionQuery, printSchema, type IntrospectionQuery } from 'graphql';
import type { PermittedEndpoint } from '../http/endpoint.js';
import type { EndpointDescription } from './describe-endpoint.js';
import type { JsonSchema } from './schema-registry.js';
import { fromGraphqlErrors } from '../problem/to-app-error.js';
import { refusalsOfPermitted } from './refusals-of.js';
import { requireNoQuery } from '../query/require-no-query.js';
import type { EndpointDeclaration } from '../route.js';

const sdlType = 'text/plain';
const introspectionType = 'application/json';

const declaration: EndpointDeclaration = {
  method: 'GET',
  path: '/graphql-schema',
  operationId: 'getGraphqlSchema',
  tag: 'Miscellaneous',
  summary: 'Read the GraphQL schema: as SDL, or as introspection result when JSON is accepted',
};

/** The answer to the introspection query. */
const introspectionSchema: JsonSchema = {
  type: 'object',
  properties: {
    data: {
      type: 'object',
      properties: {
        __schema: {
          type: 'object',
          additionalProperties: true,
          description: 'As the GraphQL specification describes it: types, queryType, directives and others',
        },
      },
      required: ['__schema'],
    },
  },
  required: ['data'],
};

export const graphqlSchemaDescription: EndpointDescription = {
  declaration,
  access: 'permitted',
  parameters: [],
  answers: [
    {
      status: 200,
      summary: 'The schema as the caller sees it',
      content: { [sdlType]: { type: 'string' }, [introspectionType]: introspectionSchema },
      headers: [],
    },
  ],
  refused: refusalsOfPermitted,
};

/** GET `/graphql-schema`: the schema that the caller sees, including record types. */
export const graphqlSchemaEndpoint = (executor: GraphqlExecutor): PermittedEndpoint => {
  const introspection = executor.prepare(getIntrospectionQuery());
  return {
    declaration,
    access: 'permitted',
    offers: [sdlType, introspectionType],
    serve: async ({ principal, requestId, authorization, mediaType, query }) => {
      requireNoQuery(query);
      const { data, errors } = await introspection.execute({}, { principal, requestId, authorization });
      if (errors !== undefined && errors.length > 0) throw fromGraphqlErrors(errors);
      if (data === null || data === undefined) throw new AppError('UNAVAILABLE', 'there is no schema yet');
      const body =
        mediaType === sdlType
          ? printSchema(buildClientSchema(data as unknown as IntrospectionQuery))
          : JSON.stringify({ data });
      return { status: 200, body };
    },
  };
};
