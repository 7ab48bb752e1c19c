import type { CredentialStore, SignIn } from './credentials.js';
import { exitStatus, Failure, failureOfAnswer } from './failure.js';
import { renew, send } from './tokens.js';

/** A request to the service. */
export interface Asked {
  readonly method?: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A token that ends sooner is renewed first. */
const renewBeforeMs = 30_000;

const noSignIn = (name: string | undefined): Failure =>
  new Failure(
    exitStatus.notSignedIn,
    name === undefined
      ? 'you are not signed in: run fds login --url <address>'
      : `you are not signed in to ${name}: run fds login --url <address> --context ${name}`,
  );

/** The service that the user is signed in to. */
export class Hub {
  /** @param chosen name of a context; the current one by default */
  constructor(
    private readonly store: CredentialStore,
    private readonly chosen?: string,
  ) {}

  /** The sign-in of the context, with a token that is still valid. @throws Failure 3 without one */
  async signIn(): Promise<SignIn> {
    const { name, signIn } = await this.kept();
    return signIn.expiresAt - Date.now() > renewBeforeMs ? signIn : this.renewed(name, signIn);
  }

  /** Sends a request with a token, once more with a new token when the service refuses the first. */
  async ask(path: string, { method = 'GET', body, headers = {} }: Asked = {}): Promise<Response> {
    const once = ({ url, accessToken }: SignIn): Promise<Response> =>
      send(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { body }),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          authorization: `Bearer ${accessToken}`,
        },
      });
    const signIn = await this.signIn();
    const answer = await once(signIn);
    if (answer.status !== 401) return answer;
    await answer.body?.cancel();
    return once(await this.renewed((await this.kept()).name, signIn));
  }

  /** Reads a JSON answer of a path below `/api`. @throws Failure for every refusal */
  async read<Body>(path: string): Promise<Body> {
    const answer = await this.ask(`/api${path}`);
    const text = await answer.text();
    if (!answer.ok) throw failureOfAnswer(answer.status, text);
    return JSON.parse(text) as Body;
  }

  private async kept(): Promise<{ readonly name: string; readonly signIn: SignIn }> {
    const { current, contexts } = await this.store.read();
    const name = this.chosen ?? current;
    const signIn = name === undefined ? undefined : contexts[name];
    if (name === undefined || signIn === undefined) throw noSignIn(this.chosen);
    return { name, signIn };
  }

  private async renewed(name: string, used: SignIn): Promise<SignIn> {
    const after = await this.store.change(async (before) => {
      const kept = before.contexts[name];
      if (kept === undefined) throw noSignIn(this.chosen);
      // another command was faster
      if (kept.accessToken !== used.accessToken) return before;
      return { ...before, contexts: { ...before.contexts, [name]: await renew(kept) } };
    });
    const renewed = after.contexts[name];
    if (renewed === undefined) throw noSignIn(this.chosen);
    return renewed;
  }
}
