import { AppError } from '@fds/errors';
import type { GraphqlAnswer, RequestContext } from '@fds/graphql';
import { isJsonObject, parseJson, stringifyJson } from '@fds/json';
import { currentSpan, type Closable } from '@fds/service';
import { Pool } from 'undici';
import type { SubgraphRequest } from '../subgraph-server/subgraph-executor.js';
import { gatewayProofHeader, type GatewayProofs } from '../subgraph-server/gateway-proof.js';
import { purposeHeader } from '../subgraph-server/purpose-header.js';

export interface GraphqlClientOptions {
  /** URL of the GraphQL endpoint, for example `http://host:8090/catalog/graphql`. */
  readonly url: string;
  /** Proves to the server that the client is the gateway. */
  readonly proofs: Pick<GatewayProofs, 'prove'>;
  /** Most connections at the same time. Default 32. */
  readonly maxConnections?: number;
  /** Longest time until an answer, in milliseconds. Default 300 000: assemblies wait for adaptors. */
  readonly timeoutMs?: number;
}

/** A client of a GraphQL server of ours in another process. */
export interface GraphqlClient extends Closable {
  /**
   * Sends an operation in the name of the context's caller. Integers keep every digit in both directions.
   *
   * @throws AppError UNAVAILABLE when the server cannot be reached or is too slow
   */
  send(request: SubgraphRequest, context: RequestContext): Promise<GraphqlAnswer>;
  /** Waits for the answers in progress. */
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
const keepAliveTimeoutMs = 30_000;

const toAnswer = (text: string, status: number, url: string): GraphqlAnswer => {
  try {
    const answer = parseJson(text);
    if (isJsonObject(answer) && ('data' in answer || 'errors' in answer)) return answer;
  } catch {
    // told below
  }
  throw new AppError('UNAVAILABLE', 'a part of the service does not answer', {
    cause: new Error(`${url} answered ${status} and no GraphQL`),
  });
};

export const createGraphqlClient = (options: GraphqlClientOptions): GraphqlClient => {
  const { proofs, maxConnections = 32, timeoutMs = 300_000 } = options;
  const url = new URL(options.url);
  const pool = new Pool(url.origin, {
    connections: maxConnections,
    pipelining: 1,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectTimeout: connectTimeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  let closing: Promise<void> | undefined;

  const post = async (body: string, { authorization, requestId, signal, purpose }: RequestContext) => {
    const traceparent = currentSpan()?.traceparent;
    try {
      const response = await pool.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'x-request-id': requestId,
          [gatewayProofHeader]: proofs.prove({ authorization, requestId }),
          ...(authorization === undefined ? {} : { authorization }),
          ...(traceparent === undefined ? {} : { traceparent }),
          ...(purpose === undefined ? {} : { [purposeHeader]: purpose }),
        },
        body,
        signal: signal ?? null,
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      throw new AppError('UNAVAILABLE', 'a part of the service cannot be reached', { cause: error });
    }
  };

  return {
    send: async ({ query, variables, operationName }, context) => {
      const { status, text } = await post(stringifyJson({ query, variables, operationName }), context);
      return toAnswer(text, status, options.url);
    },
    close: () => (closing ??= pool.close()),
  };
};
