import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@fds/errors';
import { isJsonObject, stringifyJson } from '@fds/json';
import { addOtherMethods, answerProblem } from '@fds/rest-facade';
import { noteRequest, traceIdOf, type Log } from '@fds/service';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission/index.js';
import type { EndedSession } from '../authorization-server/index.js';
import { renderMessagePage } from '../pages/index.js';
import { useExactJson } from '../http/exact-json-parser.js';
import { fromFrameworkError } from '../http/framework-error.js';
import type { LoginCodes } from './login-codes.js';
import type { PendingLogins } from './pending-login.js';
import type { RedirectRule } from './redirect-rule.js';
import type { SignedIn, SignInProvider } from './sign-in-provider.js';

export interface OpenidRoutesOptions {
  readonly baseUrl: string;
  readonly provider: SignInProvider;
  readonly pendingLogins: PendingLogins;
  readonly codes: LoginCodes;
  readonly mayLeadTo: RedirectRule;
  readonly admission: Admission;
  /** Ends the session at the embedded provider. */
  readonly endSession: (request: IncomingMessage, response: ServerResponse) => Promise<EndedSession | undefined>;
  /** Called for each person that has signed in at the provider. */
  readonly onSignedIn?: ((personUuid: string, request: FastifyRequest) => void) | undefined;
  /** Called for each person that has signed out. */
  readonly onSignedOut?: ((personUuid: string, request: FastifyRequest) => void) | undefined;
  readonly log: Log;
}

const formType = 'application/x-www-form-urlencoded';
const maxBodyBytes = 16_384;
const startAgain = 'start again at /openid/login';

/** The routes exist at the root and below `/api`. */
const prefixes = ['', '/api'] as const;

const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true;

/** Reads a parameter that may occur once. @throws AppError INVALID_PARAMETER */
const readText = (holder: unknown, name: string): string | undefined => {
  const value = isJsonObject(holder) ? holder[name] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new AppError('INVALID_PARAMETER', `${name} must be one text`, {
    errors: [{ pointer: name, code: 'INVALID_PARAMETER', detail: 'must be one text' }],
  });
};

const addErrorAnswers = (scope: FastifyInstance, { baseUrl, log }: OpenidRoutesOptions): void => {
  scope.setErrorHandler((thrown, request, reply) => {
    const given = fromFrameworkError(thrown);
    const error = given instanceof AppError ? given : new AppError('INTERNAL', 'the sign-in failed', { cause: given });
    if (error.definition.status >= 500)
      log.error({ requestId: request.id, code: error.code, err: error.cause ?? error }, 'a sign-in failed');
    if (!wantsPage(request)) return answerProblem(error, request, reply, `${baseUrl}/docs/errors`);
    const { status, title, advice } = error.definition;
    const text = error.code === 'INTERNAL' ? `${advice} Request: ${request.id}` : `${error.message}.`;
    const { headers, html } = renderMessagePage(title, text);
    return reply.code(status).headers(headers).send(html);
  });
};

const addLogin = (scope: FastifyInstance, prefix: string, options: OpenidRoutesOptions): void => {
  const { baseUrl, provider, pendingLogins, mayLeadTo } = options;
  const callback = `${baseUrl}${prefix}/openid/code`;
  scope.get(`${prefix}/openid/login`, async ({ query }, reply) => {
    const redirectUri = readText(query, 'redirect_uri');
    const { pending, cookie } = pendingLogins.start({
      callback,
      redirectUri: redirectUri === undefined ? undefined : mayLeadTo(redirectUri).href,
      applicationState: readText(query, 'state'),
    });
    const target = await provider.begin(callback, pending);
    return reply.header('set-cookie', cookie).redirect(target.href, 302);
  });
};

const addCode = (scope: FastifyInstance, prefix: string, options: OpenidRoutesOptions): void => {
  const { provider, pendingLogins, codes, mayLeadTo, admission, onSignedIn } = options;
  const answer = (reply: FastifyReply, tokens: SignedIn): FastifyReply =>
    reply.type('application/json; charset=utf-8').send(stringifyJson({ ...tokens }));

  scope.get(`${prefix}/openid/code`, async (request, reply) => {
    const state = readText(request.query, 'state');
    const pending = state === undefined ? undefined : pendingLogins.find(request.headers.cookie, state);
    if (state === undefined || pending === undefined)
      throw new AppError('INVALID_PARAMETER', `this sign-in has ended, or belongs to another browser: ${startAgain}`);
    void reply.header('set-cookie', pendingLogins.forget(state));
    const current = new URL(pending.callback);
    current.search = new URL(request.url, pending.callback).search;
    const tokens = await provider.complete(current, pending);
    // a person without a zone is refused now, not at the first request
    const { uuid } = await admission.admit(`Bearer ${tokens.access_token}`, request, reply);
    onSignedIn?.(uuid, request);
    if (pending.redirectUri === undefined) return answer(reply, tokens);
    const target = mayLeadTo(pending.redirectUri);
    target.searchParams.set('code', await codes.put(tokens));
    if (pending.applicationState !== undefined) target.searchParams.set('state', pending.applicationState);
    return reply.redirect(target.href, 302);
  });

  scope.post(`${prefix}/openid/code`, { bodyLimit: maxBodyBytes }, async (request, reply) => {
    const code = readText(request.body, 'code');
    const tokens = code === undefined ? undefined : await codes.take(code);
    if (tokens !== undefined) return answer(reply, tokens);
    const detail = code === undefined ? 'is required' : 'is unknown, was used already, or is older than a minute';
    throw new AppError('VALIDATION_FAILED', `the code ${detail}`, {
      errors: [{ pointer: '/code', code: code === undefined ? 'REQUIRED' : 'INVALID', detail }],
    });
  });
};

const addLogout = (scope: FastifyInstance, prefix: string, options: OpenidRoutesOptions): void => {
  const { provider, mayLeadTo, endSession, onSignedOut } = options;
  scope.get(`${prefix}/openid/logout`, async (request, reply) => {
    const { query, raw } = request;
    const given = readText(query, 'redirect_uri') ?? readText(query, 'post_logout_redirect_uri');
    const redirectUri = given === undefined ? undefined : mayLeadTo(given).href;
    const ended = await endSession(raw, reply.raw);
    if (ended !== undefined) {
      void reply.header('set-cookie', ended.cookie);
      onSignedOut?.(ended.personUuid, request);
    }
    const target = (await provider.endSessionUrl(redirectUri))?.href ?? redirectUri;
    if (target !== undefined) return reply.redirect(target, 302);
    const { headers, html } = renderMessagePage('You are signed out', 'You can close this window.');
    return reply.headers(headers).send(html);
  });
};

/**
 * `/openid/login`, `/openid/code` and `/openid/logout`, also below `/api`
 * (docs/reference/login.md#the-addresses). They need no token. Refusals are pages for browsers, and
 * problems for other clients.
 */
export const createOpenidRoutes =
  (options: OpenidRoutesOptions): FastifyPluginAsync =>
  async (scope) => {
    useExactJson(scope);
    scope.addContentTypeParser(formType, { parseAs: 'string', bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(body.toString()))),
    );
    addErrorAnswers(scope, options);
    scope.addHook('onRequest', async (request, reply) => {
      void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
      options.admission.admitAnyone(request, reply);
    });
    scope.addHook('onResponse', async ({ id: requestId, method, routeOptions, headers }, reply) => {
      const ms = Math.round(reply.elapsedTime);
      const [route, traceId] = [routeOptions.url, traceIdOf(headers)];
      noteRequest(options.log, { requestId, method, route, status: reply.statusCode, ms, traceId });
    });
    for (const prefix of prefixes) {
      addLogin(scope, prefix, options);
      addCode(scope, prefix, options);
      addLogout(scope, prefix, options);
      addOtherMethods(scope, `${prefix}/openid/login`, ['GET']);
      addOtherMethods(scope, `${prefix}/openid/code`, ['GET', 'POST']);
      addOtherMethods(scope, `${prefix}/openid/logout`, ['GET']);
    }
  };
