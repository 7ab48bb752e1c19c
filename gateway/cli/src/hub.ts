import { parseJson } from '@fds/json';
import type { CredentialStore, SignIn } from './credentials.js';
import { exitStatus, Failure, failureOfAnswer } from './failure.js';
import { renew, send } from './tokens.js';

/** A request to the service. */
export interface Asked {
  readonly method?: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every list has its elements in one member, which is named after them. */
type ListAnswer = Readonly<Record<string, unknown>> & { readonly _page: { readonly totalPages: number } };

const pageSize = 1000;

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

  /** Address of the service. @throws Failure 3 without a sign-in */
  async address(): Promise<string> {
    return (await this.kept()).signIn.url;
  }

  /** The sign-in of the context, with a token that is still valid. @throws Failure 3 without one */
  async signIn(): Promise<SignIn> {
    const { name, signIn } = await this.kept();
    return signIn.expiresAt - Date.now() > renewBeforeMs ? signIn : this.renewed(name, signIn);
  }

  /** A new token, for a service that refuses the one of a sign-in. @throws Failure 3 when the sign-in has ended */
  async renew(refused: SignIn): Promise<SignIn> {
    return this.renewed((await this.kept()).name, refused);
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
    return once(await this.renew(signIn));
  }

  /** Reads a JSON answer of a path below `/api`. @throws Failure for every refusal */
  async read<Body>(path: string): Promise<Body> {
    const answer = await this.ask(`/api${path}`);
    const text = await answer.text();
    if (!answer.ok) throw failureOfAnswer(answer.status, text);
    // integers of metadata and records may have 64 bits
    return parseJson(text) as Body;
  }

  /** Sends a body to a path below `/api`. @throws Failure for every refusal */
  async write<Body>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<Body> {
    const answer = await this.ask(`/api${path}`, { method, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw failureOfAnswer(answer.status, text);
    return (text === '' ? undefined : parseJson(text)) as Body;
  }

  /**
   * Reads all pages of a list below `/api`.
   *
   * @param query further parameters, such as `filters=status:OPEN`
   * @throws Failure for every refusal
   */
  async list<Element>(path: string, query = ''): Promise<readonly Element[]> {
    const all: Element[] = [];
    for (let page = 0; ; page += 1) {
      const answer = await this.read<ListAnswer>(
        `${path}?page=${page}&size=${pageSize}${query === '' ? '' : `&${query}`}`,
      );
      const elements = Object.entries(answer).find(([name, value]) => !name.startsWith('_') && Array.isArray(value));
      all.push(...((elements?.[1] ?? []) as Element[]));
      if (page + 1 >= answer._page.totalPages) return all;
    }
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
