import { AppError } from '@fds/errors';
import type { ClientAuthenticator } from '@fds/identity';
import type { Log } from '@fds/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { renderMessagePage, type Page, escapeHtml, renderPage } from '../pages/index.js';
import { commandLineClientId, commandLineOrigin } from './login-client.js';
import type { ReportSignIn } from './report-sign-ins.js';
import { tokenEpochResult } from './person-accounts.js';

/** The result of the previous attempt. */
interface LoginFault {
  readonly text: string;
  /** The name that was typed. */
  readonly username: string;
}

/**
 * The form that people sign in with.
 *
 * @param action address of the form
 * @param formTargets further origins that a sign-in may redirect to, in addition to our own
 */
const renderLoginPage = (action: string, formTargets: readonly string[], fault?: LoginFault): Page => {
  const described = fault === undefined ? '' : ' aria-invalid="true" aria-describedby="fault"';
  const focus = (isFirst: boolean): string => (isFirst ? ' autofocus' : '');
  return renderPage(
    fault === undefined ? 'Sign in' : 'Sign in: not accepted',
    `${fault === undefined ? '' : `<p class="fault" id="fault" role="alert">${escapeHtml(fault.text)}</p>\n`}<form method="post" action="${escapeHtml(action)}">
<label for="username">User name</label>
<input id="username" name="username" type="text" value="${escapeHtml(fault?.username ?? '')}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required${focus(fault === undefined)}${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${focus(fault !== undefined)}${described}>
<button type="submit">Sign in</button>
</form>`,
    ["'self'", ...formTargets],
  );
};

/** Page to which the provider sends people who must sign in. */
export const loginPath = (uid: string): string => `/oauth2/login/${uid}`;

export interface LoginRoutesOptions {
  readonly currentProvider: () => Promise<Provider>;
  readonly clients: ClientAuthenticator;
  /** Further origins that a sign-in may redirect to, in addition to our own. */
  readonly formTargets: readonly string[];
  /** Called for each accepted password. */
  readonly onSignIn?: ReportSignIn | undefined;
  readonly log: Log;
}

/** A sign-in in progress, and the origins to which it may lead. */
interface Begun {
  readonly provider: Provider;
  /** The client that the person signs in to. */
  readonly clientId: string;
  readonly targets: readonly string[];
}

type Attempt = FastifyRequest<{ Params: { uid: string }; Body: URLSearchParams }>;

const formType = 'application/x-www-form-urlencoded';
const maxFormBytes = 16_384;

const show = (reply: FastifyReply, status: number, { headers, html }: Page): FastifyReply =>
  reply.code(status).headers(headers).send(html);

const ended = renderMessagePage(
  'This sign-in has ended',
  'It took too long, was completed in another window, or your browser keeps no cookies. Go back to where you came from and sign in again.',
);

/** Is the interaction missing because it has ended or belongs to another browser? */
const isGone = (error: unknown): boolean => error instanceof Error && error.name === 'SessionNotFound';

const waitText = (error: AppError): string =>
  `Too many attempts failed. Try again in ${Number(error.details['retryAfterSeconds'])} seconds.`;

/**
 * `GET` and `POST /oauth2/login/<uid>`: the page on which a person signs in. The interaction belongs to the browser
 * that has its cookie. Other sites cannot send that cookie, so the form needs no further proof of its origin.
 */
export const addLoginRoutes = (app: FastifyInstance, options: LoginRoutesOptions): void => {
  const { currentProvider, clients, formTargets, onSignIn, log } = options;
  const url = loginPath(':uid');

  app.setErrorHandler((error, request, reply) => {
    if (isGone(error)) return show(reply, 400, ended);
    if (error instanceof AppError && error.code === 'RATE_LIMITED')
      return show(
        reply.header('retry-after', '1'),
        429,
        renderMessagePage('Too many requests', 'Try again in a second.'),
      );
    log.error({ requestId: request.id, err: error }, 'a person could not sign in');
    const page = renderMessagePage('Signing in is not possible now', `Try again in a minute. Request: ${request.id}`);
    return show(reply.header('retry-after', '5'), 503, page);
  });
  app.addContentTypeParser(formType, { parseAs: 'string', bodyLimit: maxFormBytes }, (_request, body, done) =>
    done(null, new URLSearchParams(body.toString())),
  );

  const requireInteraction = async ({ raw, params: { uid } }: Attempt, reply: FastifyReply): Promise<Begun> => {
    const provider = await currentProvider();
    const interaction = await provider.interactionDetails(raw, reply.raw);
    if (interaction.uid !== uid) throw Object.assign(new Error('another interaction'), { name: 'SessionNotFound' });
    // a browser follows no redirect of a form to an address that the page does not name
    const clientId = String(interaction.params['client_id']);
    const isOfCommandLine = clientId === commandLineClientId;
    return { provider, clientId, targets: isOfCommandLine ? [...formTargets, `${commandLineOrigin}:*`] : formTargets };
  };

  app.get(url, async (request: Attempt, reply) => {
    const { targets } = await requireInteraction(request, reply);
    return show(reply, 200, renderLoginPage(loginPath(request.params.uid), targets));
  });

  app.post(url, async (request: Attempt, reply) => {
    const { provider, clientId, targets } = await requireInteraction(request, reply);
    const username = request.body.get('username') ?? '';
    const refuse = (status: number, text: string): FastifyReply =>
      show(reply, status, renderLoginPage(loginPath(request.params.uid), targets, { text, username }));
    let client;
    try {
      client = await clients.authenticate(username, [request.body.get('password') ?? ''], request.ip);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
      void reply.header('retry-after', String(error.details['retryAfterSeconds']));
      return refuse(429, waitText(error));
    }
    if (client?.kind !== 'PERSON') {
      log.warn({ requestId: request.id, address: request.ip }, 'a sign-in was refused');
      return refuse(401, 'User name or password is wrong.');
    }
    const login = { accountId: client.uuid, amr: ['pwd'] };
    const result = { login, [tokenEpochResult]: client.tokenEpoch };
    const target = await provider.interactionResult(request.raw, reply.raw, result);
    const { 'user-agent': userAgent } = request.headers;
    const facts = { resource: '/oauth2/login', clientId, address: request.ip, userAgent };
    onSignIn?.({ actorUuid: client.uuid, way: 'PASSWORD', ...facts });
    return reply.redirect(target, 303);
  });
};
