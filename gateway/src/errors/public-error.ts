import { errorCatalogue, isErrorCode, type ErrorCode } from '@fds/errors';
import type { GraphqlErrorAnswer } from '@fds/graphql';
import { callerGone } from '@fds/service';
import { GraphQLError, Kind } from 'graphql';

/** An error in two parts: the public part, and the part for the log only. */
export interface PublicError {
  readonly answer: GraphqlErrorAnswer;
  /** Cause of a failure of the service; undefined when the request is at fault. */
  readonly fault: unknown;
}

/** Our codes for those of Apollo Server. */
const foreignCodes: Readonly<Record<string, ErrorCode>> = {
  BAD_USER_INPUT: 'INVALID_PARAMETER',
  BAD_REQUEST: 'VALIDATION_FAILED',
  OPERATION_RESOLUTION_FAILURE: 'GRAPHQL_VALIDATION_FAILED',
  PERSISTED_QUERY_NOT_SUPPORTED: 'VALIDATION_FAILED',
  PERSISTED_QUERY_NOT_FOUND: 'VALIDATION_FAILED',
};

/** Extensions that would reveal internals. */
const privateExtensions = new Set(['code', 'serviceName', 'http', 'stacktrace', 'exception']);

const serverFaults = new Set<ErrorCode>(['INTERNAL', 'UNAVAILABLE']);

/**
 * Does graphql-js report an error of the document, in one of its values or variables? Errors of resolvers point at a
 * field.
 */
const blamesInput = (error: GraphQLError): boolean =>
  error.nodes !== undefined && error.nodes[0] !== undefined && error.nodes[0].kind !== Kind.FIELD;

const codeOf = (error: GraphQLError): ErrorCode => {
  const { code } = error.extensions;
  if (isErrorCode(code)) return code;
  if (typeof code === 'string' && Object.hasOwn(foreignCodes, code)) return foreignCodes[code] ?? 'INTERNAL';
  return code === undefined && blamesInput(error) ? 'INVALID_PARAMETER' : 'INTERNAL';
};

const toGraphqlError = (error: unknown): GraphQLError => {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError(error instanceof Error ? error.message : String(error), {
    originalError: error instanceof Error ? error : null,
  });
};

/** The original error. */
const rootOf = (error: GraphQLError): unknown => {
  let root: unknown = error;
  while (root instanceof GraphQLError && root.originalError !== undefined) root = root.originalError;
  return root instanceof Error && root.cause !== undefined ? root.cause : root;
};

/**
 * Splits an error into its public and its private part. A catalogued code keeps its message and details. Errors of
 * graphql-js or Apollo Server get our code. Any other error becomes INTERNAL with the catalogue's sentence.
 */
export const toPublicError = (error: unknown): PublicError => {
  const graphqlError = toGraphqlError(error);
  const code = codeOf(graphqlError);
  const isOurs = isErrorCode(graphqlError.extensions.code);
  const details = isOurs
    ? Object.fromEntries(Object.entries(graphqlError.extensions).filter(([name]) => !privateExtensions.has(name)))
    : {};
  const { path, locations } = graphqlError;
  return {
    answer: {
      message: code === 'INTERNAL' && !isOurs ? errorCatalogue.INTERNAL.title : graphqlError.message,
      ...(locations === undefined ? {} : { locations: locations.map(({ line, column }) => ({ line, column })) }),
      ...(path === undefined ? {} : { path }),
      extensions: { ...details, code },
    },
    fault: serverFaults.has(code) && rootOf(graphqlError) !== callerGone ? rootOf(graphqlError) : undefined,
  };
};
