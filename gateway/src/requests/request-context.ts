import type { RequestContext } from '@fds/graphql';
import { callerSignal } from '@fds/service';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The context of an operation that arrived over HTTP. Its signal is created on first use, because few requests use it. */
export const requestContextOf = (
  { id: requestId, ip: address, headers: { authorization } }: FastifyRequest,
  reply: FastifyReply,
  { principal, purpose, longAs }: Pick<RequestContext, 'principal' | 'purpose' | 'longAs'>,
): RequestContext => {
  let signal: AbortSignal | undefined;
  return {
    principal,
    requestId,
    address,
    authorization,
    purpose,
    longAs,
    get signal() {
      return (signal ??= callerSignal(reply.raw));
    },
  };
};
