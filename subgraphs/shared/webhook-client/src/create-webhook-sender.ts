import { QueueFull } from '@fds/service';
import { describeFailure } from './describe-failure.js';
import { headerFaults, type WebhookHeader } from './headers/header-faults.js';
import { AttemptTimedOut } from './http/attempt-timed-out.js';
import type { Exchange } from './http/create-exchange.js';
import type { OutgoingAnswer } from './http/exchange-on-pool.js';
import type { GuardedExchange } from './http/open-guarded-exchange.js';
import { createGuardedFetch } from './oauth2/create-guarded-fetch.js';
import { createTokenSource } from './oauth2/create-token-source.js';
import type { OAuth2Registration } from './oauth2/oauth2-registration.js';
import { parseRetryAfter } from './retry/parse-retry-after.js';
import { signMessage } from './signing/sign-message.js';
import { createHostResolver, type ResolveHost } from './target/resolve-host.js';
import { publicTargets, type TargetRule } from './target/target-fault.js';
import type { WebhookOutcome } from './webhook-outcome.js';

/** One message to one receiver. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers?: readonly WebhookHeader[] | null | undefined;
  readonly oauth2Registration?: OAuth2Registration | null | undefined;
  /** Signing secrets, the newest first. None: the message is not signed. */
  readonly secrets: readonly string[];
  /** Identifies the message. Every attempt has the same. */
  readonly id: string;
  /** The time of this attempt. */
  readonly timestamp: Date;
  /** JSON. */
  readonly body: string;
  /** W3C trace context of the attempt. Default: none is sent. */
  readonly traceparent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends webhooks. Never throws: every end of an attempt is an outcome. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface WebhookSenderOptions {
  /** Which addresses may be connected to. Default: public ones. */
  readonly rule?: TargetRule;
  /** Finds the addresses of host names. Default: the name servers of the machine. */
  readonly resolve?: ResolveHost;
  /** For one attempt, with its access token. Default 15 000. */
  readonly timeoutMs?: number;
  /** Requests that run at once. Default 128. */
  readonly maxRequests?: number;
  /** Requests to one receiver (scheme, host and port) that run at once. Default 8. */
  readonly maxReceiverRequests?: number;
  /** Most bytes that are read from the body of an answer. Default 65 536. */
  readonly maxAnswerBytes?: number;
  /** Access tokens that are kept. Default 1000. */
  readonly maxTokens?: number;
  /** Counts attempts that found no place. */
  readonly onBusy?: () => void;
  readonly now?: () => Date;
}

const drainMs = 1000;
const connectMs = 5000;

const ownHeaders = {
  'content-type': 'application/json',
  accept: '*/*',
  'user-agent': 'federated-data-service',
} as const;

/** A later header of the list has priority; only the service sets the signature. */
const headersOf = (request: WebhookRequest, token: string | undefined): Record<string, string> => {
  const headers: Record<string, string> = { ...ownHeaders };
  for (const { name, value } of request.headers ?? []) headers[name.toLowerCase()] = value;
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (request.traceparent !== undefined) headers['traceparent'] = request.traceparent;
  return Object.assign(headers, signMessage(request));
};

const outcomeOf = ({ status, headers }: OutgoingAnswer, now: Date): Omit<WebhookOutcome, 'milliseconds'> => {
  const httpStatus = status;
  if (status >= 200 && status < 300) return { kind: 'DELIVERED', httpStatus };
  if (status === 410) return { kind: 'GONE', httpStatus, error: 'the receiver answered 410' };
  const note = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  return {
    kind: 'FAILED',
    httpStatus,
    error: `the receiver answered ${status}${note}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};

/** A request with the end of its attempt. */
interface Attempt {
  readonly request: WebhookRequest;
  readonly endsAtMs: number;
}

export const createWebhookSender = (options: WebhookSenderOptions = {}): WebhookSender => {
  const { rule = publicTargets, timeoutMs = 15_000, now = () => new Date() } = options;
  const { maxRequests = 128, maxReceiverRequests = 8, maxAnswerBytes = 65_536, maxTokens = 1000 } = options;
  const resolve = options.resolve ?? createHostResolver();
  let opened: Promise<GuardedExchange> | undefined;
  const open = async (): Promise<GuardedExchange> => {
    const { openGuardedExchange } = await import('./http/open-guarded-exchange.js');
    const limits = { maxRequests, maxReceiverRequests, maxAnswerBytes, drainMs, maxWaitMs: timeoutMs };
    return openGuardedExchange({ rule, resolve, connectMs, ...limits });
  };
  // loads undici, which takes 7 MiB of an idle service; most services send no webhook
  const exchange: Exchange = async (request) => (await (opened ??= open())).exchange(request);
  const tokens = createTokenSource({ fetch: createGuardedFetch(exchange), now, maxTokens, timeoutMs });

  const post = ({ request, endsAtMs }: Attempt, token: string | undefined): Promise<OutgoingAnswer> =>
    exchange({
      url: request.url,
      method: 'POST',
      headers: headersOf(request, token),
      body: request.body,
      signal: request.signal,
      endsAtMs,
      wantsBody: false,
    });

  const postWithToken = async (attempt: Attempt, registration: OAuth2Registration): Promise<OutgoingAnswer> => {
    const { signal: outer } = attempt.request;
    const timer = new AbortController();
    const timing = setTimeout(() => timer.abort(new AttemptTimedOut()), timeoutMs);
    const signal = outer === undefined ? timer.signal : AbortSignal.any([timer.signal, outer]);
    try {
      const token = await tokens.token(registration, signal);
      const answer = await post(attempt, token);
      if (answer.status !== 401) return answer;
      // the token may have been revoked: one more attempt with a new one
      tokens.drop(registration, token);
      return await post(attempt, await tokens.token(registration, signal));
    } finally {
      clearTimeout(timing);
    }
  };

  const attempt = async (request: WebhookRequest, begin: number): Promise<Omit<WebhookOutcome, 'milliseconds'>> => {
    const { oauth2Registration: registration } = request;
    const hasToken = registration !== undefined && registration !== null;
    const [fault] = headerFaults(request.headers, '/httpHeaders', hasToken);
    if (fault !== undefined) return { kind: 'FAILED', error: `${fault.pointer} ${fault.detail}` };
    const started = { request, endsAtMs: begin + timeoutMs };
    try {
      return outcomeOf(await (hasToken ? postWithToken(started, registration) : post(started, undefined)), now());
    } catch (error) {
      if (error instanceof QueueFull) options.onBusy?.();
      return describeFailure(error);
    }
  };

  return {
    send: async (request) => {
      const begin = performance.now();
      const outcome = await attempt(request, begin);
      return { ...outcome, milliseconds: Math.round(performance.now() - begin) };
    },
    close: async () => {
      await (await opened)?.close();
    },
  };
};
