import type { Principal } from '@fds/auth';
import type { RequestContext } from '@fds/graphql';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerGone } from '../errors/caller-gone.js';

/** Aborts when the connection ends before the answer has been sent. */
const signalOf = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  const notice = (): void => {
    if (!raw.writableFinished) gone.abort(callerGone);
  };
  if (raw.closed) notice();
  else raw.once('close', notice);
  return gone.signal;
};

/** The context of an operation that came by HTTP. Its signal is made when somebody asks for it: few do. */
export const requestContextOf = (
  { id: requestId, headers: { authorization } }: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
): RequestContext => {
  let signal: AbortSignal | undefined;
  return {
    principal,
    requestId,
    authorization,
    get signal() {
      return (signal ??= signalOf(reply));
    },
  };
};
