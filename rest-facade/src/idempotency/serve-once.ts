import { AppError } from '@fds/errors';
import { canonicalJson } from '@fds/json';
import type { Log } from '@fds/service';
import type { EndpointAnswer, EndpointRequest, PermittedEndpoint } from '../http/endpoint.js';
import { pathOf } from '../http/fill-path.js';
import type { Claim, IdempotencyStore } from './idempotency-store.js';

type Serve = PermittedEndpoint['serve'];

/** Shows the answer to an earlier request as its caller may see it now. @throws AppError as reading does */
export type ReadAgain = (request: EndpointRequest, answered: EndpointAnswer) => Promise<EndpointAnswer>;

/** A quoted string, as in the header's draft, or the same text without quotes. */
const quotedKey = /^"([\u0020-\u0021\u0023-\u007e]{1,255})"$/;
const bareKey = /^[\u0021\u0023-\u007e]{1,255}$/;

/** @throws AppError INVALID_PARAMETER */
const readKey = (header: string): string => {
  const key = quotedKey.exec(header)?.[1] ?? bareKey.exec(header)?.[0];
  if (key !== undefined) return key;
  const detail = 'Idempotency-Key must be 1 to 255 ASCII characters, in double quotes or without blanks';
  throw new AppError('INVALID_PARAMETER', detail, {
    errors: [{ pointer: 'Idempotency-Key', code: 'MALFORMED', detail }],
  });
};

const bodyOf = ({ body, fingerprint }: EndpointRequest): string =>
  fingerprint ?? (body === undefined ? '' : canonicalJson(body));

const queryOf = (target: string): string => target.slice(pathOf(target).length);

const refusalOfClaim = (claim: Exclude<Claim, { kind: 'CLAIMED' | 'ANSWERED' }>): AppError => {
  switch (claim.kind) {
    case 'REUSED':
      return new AppError('IDEMPOTENCY_KEY_REUSED', 'the key was used with another query string or body');
    case 'IN_PROGRESS':
      return new AppError('IDEMPOTENCY_IN_PROGRESS', 'the first request with the key has no answer yet', {
        details: { retryAfterSeconds: claim.retryAfterSeconds },
      });
    case 'UNKNOWN':
      return new AppError(
        'IDEMPOTENCY_OUTCOME_UNKNOWN',
        'an earlier request with the key ended without an answer, and you have changed resources since',
        { details: { changes: claim.changes } },
      );
  }
};

/** Was the request refused, so that it had no effect? A failure may have had one. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.definition.status < 500;

/**
 * Lets requests with an Idempotency-Key take effect once. Repeated requests get the first one's answer, with the header
 * `idempotency-replayed`. The permission is checked for every request. The resource is read again, because data access
 * rules may hide it now. A refusal is not stored, because it had no effect. See
 * docs/decisions/0013-idempotent-requests.md.
 */
export const serveOnce =
  (serve: Serve, store: IdempotencyStore, log: Log, readAgain?: ReadAgain): Serve =>
  async (request: EndpointRequest): Promise<EndpointAnswer> => {
    const header = request.headers['idempotency-key'];
    if (header === undefined) return serve(request);
    const claim = await store.claim({
      callerUuid: request.principal.uuid,
      path: pathOf(request.target),
      key: readKey(String(header)),
      content: `${queryOf(request.target)}\n${bodyOf(request)}`,
    });
    if (claim.kind === 'ANSWERED') {
      const mayHide = request.principal.dataAccess !== undefined && readAgain !== undefined;
      const answer = mayHide ? await readAgain(request, claim.answer) : claim.answer;
      return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } };
    }
    if (claim.kind !== 'CLAIMED') throw refusalOfClaim(claim);
    const { requestId } = request;
    const untold = (err: unknown): void => log.error({ requestId, err }, 'an idempotent request was not remembered');
    try {
      const answer = await serve(request);
      // the change is made, so its caller gets the answer even if the answer could not be stored
      await claim.settle(answer).catch(untold);
      return answer;
    } catch (error) {
      if (isRefusal(error)) await claim.release().catch(untold);
      throw error;
    }
  };
