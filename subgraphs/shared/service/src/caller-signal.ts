import type { ServerResponse } from 'node:http';

/** Why work is given up whose caller has closed the connection. No client reads it, and the service has no fault. */
export const callerGone = new Error('the caller has gone');

/** Aborts with `callerGone` when the connection ends before the answer has been sent. */
export const callerSignal = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  const notice = (): void => {
    if (!response.writableFinished) gone.abort(callerGone);
  };
  if (response.closed) notice();
  else response.once('close', notice);
  return gone.signal;
};
