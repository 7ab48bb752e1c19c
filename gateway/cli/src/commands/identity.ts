import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure } from '../failure.js';
import { plainText, printRows } from '../print-rows.js';

/** The answer of `GET /token`: the claims of the token, and the zones of its holder. */
interface TokenAnswer {
  readonly sub: string;
  readonly username?: string | null;
  readonly zones?: readonly {
    readonly zoneName: string;
    readonly roles: readonly { readonly name: string }[];
    readonly groups: readonly { readonly name: string }[];
  }[];
}

/** `fds whoami` */
export const whoami = async (context: CommandContext, { json }: { readonly json?: boolean }): Promise<void> => {
  const { hub, print } = context;
  const { url } = await hub.signIn();
  const answer = await hub.read<TokenAnswer>('/token');
  if (json === true) return print(JSON.stringify({ url, ...answer }, undefined, 2));
  print(plainText(`${answer.username ?? answer.sub} at ${url}`));
  for (const { zoneName, roles, groups } of answer.zones ?? []) {
    const held = [...roles.map(({ name }) => name), ...groups.map(({ name }) => `group ${name}`)];
    print(plainText(`  ${zoneName}: ${held.join(', ') || 'no role'}`));
  }
};

/** `fds context`: lists the contexts, or makes one of them the current one. */
export const useContext = async (
  { store, print, say }: CommandContext,
  name: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<void> => {
  if (name !== undefined) {
    await store.change((before) => {
      if (before.contexts[name] !== undefined) return { ...before, current: name };
      const known = Object.keys(before.contexts).join(', ') || 'none';
      throw new Failure(exitStatus.notFound, `there is no context ${name}; known: ${known}`);
    });
    return say(`The current context is ${name}`);
  }
  const { current, contexts } = await store.read();
  const rows = Object.entries(contexts).map(([each, { url, clientId }]) => ({
    current: each === current,
    name: each,
    url,
    clientId,
  }));
  if (json === true) return print(JSON.stringify(rows, undefined, 2));
  printRows(
    print,
    ['CURRENT', 'NAME', 'URL', 'CLIENT'],
    rows.map((row) => [row.current ? '*' : '', row.name, row.url, row.clientId]),
  );
};
