import { QueueFull } from '@fds/service';
import { codeOf } from './http/error-code.js';
import { AttemptTimedOut } from './http/attempt-timed-out.js';
import { TokenFailure } from './oauth2/token-failure.js';
import { howToAllow } from './target/target-fault.js';
import { RefusedTarget } from './target/refused-target.js';
import type { WebhookOutcome } from './webhook-outcome.js';

/** One text for a name that does not exist and for one with a private address. */
const unusableHost = `the host name has no public address that is known now; ${howToAllow}`;

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver ended the connection',
  EPIPE: 'the receiver ended the connection',
  ENOTFOUND: unusableHost,
  EAI_AGAIN: unusableHost,
  EAI_NODATA: unusableHost,
  ENETUNREACH: 'the network of the receiver cannot be reached',
  EHOSTUNREACH: 'the receiver cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the receiver ended the connection',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the receiver is self-signed',
  CERT_HAS_EXPIRED: 'the certificate of the receiver has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the receiver is for another name',
};

/** Says in public words why an attempt failed. Messages of libraries are not passed on. */
export const describeFailure = (error: unknown): Pick<WebhookOutcome, 'kind' | 'error' | 'isUnreachable'> => {
  if (error instanceof RefusedTarget) return { kind: 'REFUSED_TARGET', error: error.message };
  if (error instanceof TokenFailure) return { kind: 'FAILED', error: `no access token: ${error.message}` };
  if (error instanceof QueueFull) return { kind: 'FAILED', error: 'too many requests wait for the receiver' };
  // by its name: undici is loaded with the first attempt
  if (error instanceof Error && error.name === 'HTTPParserError')
    return { kind: 'FAILED', error: 'the answer is not HTTP' };
  if (error instanceof Error && error.message === 'bad upgrade') {
    return { kind: 'FAILED', error: 'the receiver answered 101, and the service speaks HTTP only' };
  }
  if (error instanceof AttemptTimedOut) {
    return { kind: 'FAILED', error: 'the receiver did not answer in time', isUnreachable: true };
  }
  const reason = byCode[codeOf(error)] ?? 'the exchange with the receiver failed';
  return { kind: 'FAILED', error: reason, isUnreachable: true };
};
