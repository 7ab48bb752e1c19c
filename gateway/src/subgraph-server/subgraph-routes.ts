import type { Subgraph } from '@fds/graphql';
import { isJsonObject, stringifyJson } from '@fds/json';
import { AppError } from '@fds/errors';
import { createLog, type Log, requestIdOf } from '@fds/service';
import type { Principal } from '@fds/auth';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { defaultLimits, type OperationLimits } from '../limits/operation-limits.js';
import { gatewayProofHeader, type GatewayProofs } from './gateway-proof.js';
import { createPlanningShare, type PlanningShare } from '../requests/create-planning-share.js';
import { createFetchReader } from './fetch-reader.js';
import { createOutsideRequests } from './outside-request.js';
import { purposeHeader } from './purpose-header.js';
import type { Authenticate } from '../http/authenticate.js';
import { useExactJson } from '../http/exact-json-parser.js';
import { fromFrameworkError } from '../http/framework-error.js';
import { refuseRequest } from '../requests/graphql-refusal.js';
import { requestContextOf } from '../requests/request-context.js';
import { createSubgraphExecutor, type SubgraphRequest } from './subgraph-executor.js';

/** Logs wrong proofs of gateways, at most once in an interval, because any client can send one. */
interface ProofAlarm {
  raise(requestId: string): void;
}

const defaultIntervalMs = 60_000;

const createProofAlarm = (
  log: Pick<Log, 'error'>,
  now: () => Date = () => new Date(),
  intervalMs = defaultIntervalMs,
): ProofAlarm => {
  let loggedAtMs = -Infinity;
  let unlogged = 0;
  return {
    raise: (requestId) => {
      const nowMs = now().getTime();
      if (nowMs - loggedAtMs < intervalMs) {
        unlogged += 1;
        return;
      }
      log.error({ requestId, others: unlogged }, 'a gateway has another FDS_SECRET_KEY, or another clock');
      loggedAtMs = nowMs;
      unlogged = 0;
    },
  };
};

export interface SubgraphRoutesOptions {
  readonly subgraph: Subgraph;
  /** Called for every fetch of the gateway: a subgraph verifies the caller itself. */
  readonly authenticate: Authenticate;
  /** The same for requests that do not come from the gateway, with their rate limit. */
  readonly admit: Authenticate;
  /** Distinguishes fetches of the gateway from other requests. */
  readonly proofs: GatewayProofs;
  /** Limits of documents that do not come from the gateway, which applies them itself. Default: `defaultLimits`. */
  readonly limits?: OperationLimits;
  readonly onTooComplex?: () => void;
  /** Called for each request with a wrong proof. */
  readonly onWrongProof?: () => void;
  /** Time that new documents from outside the gateway may take. Default: a separate share of this part. */
  readonly planning?: PlanningShare;
  /** Heap that the caches of this process may retain together. Default: `defaultCacheBytes`. */
  readonly cacheBytes?: number;
  readonly log: Log;
  /** Largest body from the gateway in bytes. Default 64 MiB: entity fetches carry a key for each row of a page. */
  readonly maxBodyBytes?: number;
  /** Largest body from others in bytes. Default 1 MiB. */
  readonly maxOutsideBodyBytes?: number;
}

const defaultMaxBodyBytes = 64 * 2 ** 20;
const defaultMaxOutsideBodyBytes = 2 ** 20;

/** @throws AppError PAYLOAD_TOO_LARGE, also for a body without content-length */
const requireSmallBody = ({ headers }: FastifyRequest, maxBytes: number): void => {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (!(length <= maxBytes)) {
    throw new AppError('PAYLOAD_TOO_LARGE', `the body needs a content-length of at most ${maxBytes} bytes`);
  }
};

/** A request claims to come from the gateway and cannot prove it. */
class WrongProof extends AppError<'UNAVAILABLE'> {
  constructor() {
    super('UNAVAILABLE', 'the gateway cannot prove that it is the gateway');
  }
}

const silent = createLog('silent');

interface Caller {
  readonly principal: Principal;
  readonly isGateway: boolean;
}

/** @throws AppError VALIDATION_FAILED */
const toSubgraphRequest = (body: unknown): SubgraphRequest => {
  if (!isJsonObject(body) || typeof body.query !== 'string') {
    throw new AppError('VALIDATION_FAILED', 'the body must be an object with `query`');
  }
  const { query, variables, operationName } = body;
  return {
    query,
    variables: isJsonObject(variables) ? variables : undefined,
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
};

/**
 * `POST /graphql` of a subgraph, for gateways in other processes. A request without the proof of a gateway is subject
 * to the limits of the public doors, and may select neither entities nor introspection. Register it below a prefix to
 * serve several.
 */
export const subgraphRoutes =
  (options: SubgraphRoutesOptions): FastifyPluginAsync =>
  async (app) => {
    const { subgraph, authenticate, admit, proofs, limits = defaultLimits, onTooComplex, log } = options;
    const { maxBodyBytes = defaultMaxBodyBytes, maxOutsideBodyBytes = defaultMaxOutsideBodyBytes } = options;
    const { planning = createPlanningShare(), cacheBytes, onWrongProof = () => undefined } = options;
    const reader = createFetchReader(subgraph, cacheBytes);
    const { schema } = subgraph;
    const outside = createOutsideRequests({ schema, reader, limits, planning, onTooComplex, cacheBytes });
    const alarm = createProofAlarm(log);
    const callers = new WeakMap<FastifyRequest, Caller>();

    /** Runs before the body is read. @throws AppError */
    const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
      const { headers, id: requestId } = request;
      const { authorization } = headers;
      const proof = headers[gatewayProofHeader];
      switch (proofs.check(proof === undefined ? undefined : String(proof), { authorization, requestId })) {
        case 'PROVEN':
          return { principal: await authenticate(authorization), isGateway: true };
        case 'ABSENT': {
          const principal = await admit(authorization, request, reply);
          requireSmallBody(request, maxOutsideBodyBytes);
          return { principal, isGateway: false };
        }
        case 'WRONG':
          alarm.raise(requestId);
          onWrongProof();
          throw new WrongProof();
      }
    };
    const executeFetch = createSubgraphExecutor(subgraph, reader, log);
    useExactJson(app);
    app.addHook('onRequest', async (request, reply) => {
      request.id = requestIdOf(request.headers);
      void reply.header('x-request-id', request.id);
    });
    app.setErrorHandler(async (error, request, reply) =>
      // the alarm logs wrong proofs, so they are not logged one by one
      refuseRequest(fromFrameworkError(error), request, reply, error instanceof WrongProof ? silent : log),
    );
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      callers.set(request, await identify(request, reply));
    };
    app.post('/graphql', { bodyLimit: maxBodyBytes, onRequest }, async (request, reply) => {
      const caller = callers.get(request);
      if (caller === undefined) throw new TypeError('the request was not authenticated');
      const { principal, isGateway } = caller;
      const fetch = toSubgraphRequest(request.body);
      const purpose = request.headers[purposeHeader] === 'check' ? 'check' : undefined;
      const context = requestContextOf(request, reply, { principal, purpose });
      if (!isGateway) await outside.require(fetch, context);
      const answer = await executeFetch(fetch, context);
      return reply.type('application/json; charset=utf-8').send(stringifyJson(answer));
    });
  };
