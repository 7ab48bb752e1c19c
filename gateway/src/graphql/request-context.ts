import type { RequestContext } from '@fds/graphql';
import { callerSignal } from '@fds/service';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The context of an operation that came by HTTP. Its signal is made when somebody asks for it: few do. */
export const requestContextOf = (
  { id: requestId, ip: address, headers: { authorization } }: FastifyRequest,
  reply: FastifyReply,
  { principal, purpose }: Pick<RequestContext, 'principal' | 'purpose'>,
): RequestContext => {
  let signal: AbortSignal | undefined;
  return {
    principal,
    requestId,
    address,
    authorization,
    purpose,
    get signal() {
      return (signal ??= callerSignal(reply.raw));
    },
  };
};
