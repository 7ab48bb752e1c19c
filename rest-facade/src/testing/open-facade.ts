import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import { scalars, type GraphqlExecutor, type RequestContext } from '@fds/graphql';
import { compileGrants, type Grant } from '@fds/access-rules';
import { createLog } from '@fds/service';
import fastify, { type FastifyInstance } from 'fastify';
import { execute, GraphQLScalarType, parse, type GraphQLSchema } from 'graphql';
import { createAssemblyFacade, type AssemblyFacadeDependencies } from '../assembly-facade.js';
import type { IdempotencyStore } from '../idempotency/idempotency-store.js';
import { addUnknownPaths } from '../http/add-unknown-paths.js';
import type { VisibleVersion } from '../openapi/domains/record-version.js';
import { createRestFacade } from '../rest-facade.js';
import type { ReadRecord } from '../routes/records/read-lone-record.js';
import { loadStaticSchema } from './static-schema.js';

/** Resolvers of root fields by name. They get the field's arguments and the context of the operation. */
export type RootFields = Readonly<
  Record<string, (args: Readonly<Record<string, never>>, context: RequestContext) => unknown>
>;

export const baseUrl = 'http://localhost:8080';

const withScalars = (schema: GraphQLSchema): GraphQLSchema => {
  for (const [name, { serialize, parseValue, parseLiteral }] of Object.entries(scalars)) {
    const type = schema.getType(name);
    if (type instanceof GraphQLScalarType) Object.assign(type, { serialize, parseValue, parseLiteral });
  }
  return schema;
};

const executorOver = (schema: GraphQLSchema, fields: RootFields): GraphqlExecutor => ({
  prepare: (document) => {
    const parsed = parse(document);
    return {
      execute: async (variableValues, contextValue) => {
        const result = await execute({ schema, document: parsed, rootValue: fields, variableValues, contextValue });
        return { data: result.data, errors: result.errors?.map((error) => error.toJSON()) };
      },
    };
  },
});

/** Uuid of the caller of the tests' facade. */
export const callerUuid = '019a5d2e-0000-7000-8000-000000000001';

const principalWith = (grants: readonly Grant[]): Principal => {
  const compiled = compileGrants(grants);
  return {
    kind: 'PERSON',
    uuid: callerUuid,
    username: 'admin',
    zones: [],
    defaultZoneUuid: undefined,
    permits: (action, path) => compiled.permits(action, path),
  };
};

/** Claims of the token that the tests' facade accepts. */
const claims = { iss: baseUrl, sub: 'admin', client_id: 'admin', iat: 1000, exp: 4600, jti: 'j', scope: 'api' };
export const authorization = `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

const authenticateAs =
  (grants: readonly Grant[]) =>
  async (header: string | undefined): Promise<Principal> => {
    if (header === authorization) return principalWith(grants);
    throw new AppError('UNAUTHENTICATED', 'not valid', {
      details: { reason: header === undefined ? 'missing' : 'signature' },
    });
  };

const everything: readonly Grant[] = [{ action: 'ALL', resource: '/*' }];

const noKeys: IdempotencyStore = { claim: () => Promise.reject(new Error('this facade remembers no keys')) };

/** The source and settings of the assembly facade's progressive answers. */
type FacadeLines = Pick<AssemblyFacadeDependencies, 'assembleLines' | 'unreadMs' | 'onUnread' | 'onAnswered'>;

const noLines: FacadeLines['assembleLines'] = () => {
  throw new Error('this facade gives no lines');
};

/**
 * Creates both facades, with the static schema and the given root fields, on a server that listens on no port. The
 * caller closes it.
 *
 * @param grants the permissions of the token's holder; default: all
 * @param assembly the source of progressive lines; default: none
 * @param visible versions whose record types every caller sees; default: none
 * @param idempotency by default, no request may have an Idempotency-Key
 * @param readRecord reads single records; default: the root fields do
 */
export const openFacade = async (
  fields: RootFields,
  grants = everything,
  idempotency = noKeys,
  assembly: FacadeLines = { assembleLines: noLines },
  visible: readonly VisibleVersion[] = [],
  readRecord?: ReadRecord,
): Promise<FastifyInstance> => {
  const schema = withScalars(loadStaticSchema());
  const executor = executorOver(schema, fields);
  const authenticate = authenticateAs(grants);
  const common = { executor, schema, authenticate, baseUrl, log: createLog('silent') };
  const server = fastify();
  addUnknownPaths(server, baseUrl, createLog('silent'));
  await server.register(
    createRestFacade({
      ...common,
      assemblyUrl: 'http://localhost:8082',
      idempotency,
      findVisibleVersions: () => visible,
      readRecord,
      limits: { maxBodyBytes: 1000 },
    }),
  );
  await server.register(
    createAssemblyFacade({ ...common, errorsPage: `${baseUrl}/docs/errors`, maxBodyBytes: 1000, ...assembly }),
  );
  return server;
};
