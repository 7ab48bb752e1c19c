import { setTimeout as wait } from 'node:timers/promises';
import { errorCatalogue, isErrorCode } from '@fds/errors';
import { parseJson, stringifyJson } from '@fds/json';
import { WebSocket } from 'ws';
import type { CommandContext } from '../command-context.js';
import type { SignIn } from '../credentials.js';
import { exitStatus, Failure, statusOfHttp, Unreachable } from '../failure.js';
import { plainText } from '../print-rows.js';
import { Names, textOf, type Resource } from '@fds/rest-facade/configuration';

const firstPauseMs = 500;
const maxPauseMs = 10_000;

/** A message of graphql-transport-ws. */
interface Message {
  readonly type: string;
  readonly payload?: unknown;
}

/** One subscription over one websocket. */
interface Stream {
  /** @throws Failure when the service refuses the subscription */
  readonly ended: Promise<void>;
  close(): void;
}

interface Asking {
  readonly url: string;
  readonly accessToken: string;
  readonly query: string;
  readonly variables: Resource;
  /** The service has accepted the token. */
  onOpen?(): void;
  onData(data: Resource): void;
}

/** The connection ended, and may be opened again. `refused`: the service does not accept the token. */
class ConnectionEnd extends Error {
  constructor(
    readonly reason: string,
    readonly refused: boolean,
  ) {
    super(reason);
  }
}

const refusal = (payload: unknown): Failure => {
  const [first] = payload as readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
  const code = first?.extensions?.code ?? '';
  const status = isErrorCode(code) ? statusOfHttp(errorCatalogue[code].status) : exitStatus.fault;
  return new Failure(status, `${first?.message ?? 'the subscription was refused'} (${code})`);
};

/** Codes of refusals that go away by themselves. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'TIMEOUT']);

const subscribe = ({ url, accessToken, query, variables, onOpen, onData }: Asking): Stream => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  const post = (message: Resource): void => socket.send(stringifyJson(message));
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('open', () => post({ type: 'connection_init', payload: { authorization: `Bearer ${accessToken}` } }));
    socket.on('error', (error: NodeJS.ErrnoException) => reject(new ConnectionEnd(error.code ?? error.message, false)));
    socket.on('close', (code, reason) =>
      reject(new ConnectionEnd(`${code} ${reason.toString()}`.trim(), code === 4401 || code === 4403)),
    );
    socket.on('message', (data: Buffer) => {
      const { type, payload } = parseJson(data.toString()) as unknown as Message;
      if (type === 'connection_ack') {
        onOpen?.();
        post({ type: 'subscribe', id: '1', payload: { query, variables } });
      }
      if (type === 'ping') post({ type: 'pong' });
      else if (type === 'next') {
        const { data: members, errors } = payload as { readonly data?: Resource | null; readonly errors?: unknown };
        if (errors !== undefined) reject(refusal(errors));
        else if (members !== undefined && members !== null) onData(members);
      } else if (type === 'error') {
        const failure = refusal(payload);
        const isPassing = [...passing].some((code) => failure.message.endsWith(`(${code})`));
        reject(isPassing ? new ConnectionEnd(failure.message, false) : failure);
      } else if (type === 'complete') resolve();
    });
  });
  const close = (): void => socket.close();
  ended.then(close, close);
  return { ended, close };
};

const eventQuery = `subscription ($after: String) {
  metadataEvents(events: [{ resource: "/drs/*", actions: [ALL] }], after: $after) {
    cursor dateCreated action resourceUuid actorUuid data
  }
}`;

export interface TailOptions {
  readonly after?: string;
  readonly json?: boolean;
}

/** `fds tail`: prints each change of a record that the user may see, until it is interrupted. */
export const tail = async (context: CommandContext, { after, json }: TailOptions): Promise<void> => {
  const { hub, print, say } = context;
  const names = new Names(hub);
  let cursor = after;
  let pauseMs = firstPauseMs;
  // BEGUN: no connection was open yet
  const progress: { state: 'BEGUN' | 'WORKED' | 'WAITS' } = { state: 'BEGUN' };
  let refused: SignIn | undefined;
  // names are looked up one after another, so that lines keep the order of the events
  let printed: Promise<void> = Promise.resolve();

  const printEvent = async (event: Resource): Promise<void> => {
    const given = event['data'];
    // values of the scalar Json arrive as text
    const data = (typeof given === 'string' ? parseJson(given) : (given ?? {})) as Resource;
    // a link that an adaptor reports is not a data event
    if (typeof data['transactionUuid'] !== 'string') return;
    const createTime = new Date(textOf(event['dateCreated']));
    const versionUuid = textOf(data['domainVersionUuid']);
    // a version that was published after the start is not in the list yet
    let version = await names.nameOf('DomainVersion', versionUuid);
    if (version === versionUuid) version = await new Names(hub).nameOf('DomainVersion', versionUuid);
    // a change by PATCH is a data event PUT
    const action = event['action'] === 'PATCH' ? 'PUT' : event['action'];
    if (json === true)
      return print(
        stringifyJson({
          cursor: event['cursor'],
          action,
          domainVersion: version,
          domainVersionUuid: versionUuid,
          drUuid: event['resourceUuid'],
          drKey: data['drKey'],
          json: data['json'],
          transactionUuid: data['transactionUuid'],
          actorUuid: event['actorUuid'],
          createTime: createTime.getTime(),
        }),
      );
    print(
      plainText(
        `${createTime.toISOString()} ${textOf(action)} ${version} ${stringifyJson(data['drKey'])} ${textOf(event['resourceUuid'])}`,
      ),
    );
  };

  /** The place where the stream begins. Events after it are not lost when the first connection ends early. */
  const findBeginning = async (url: string, accessToken: string): Promise<string | undefined> => {
    let found: string | undefined;
    const query = 'subscription { adaptorStates { cursor } }';
    const stream = subscribe({
      url,
      accessToken,
      query,
      variables: {},
      onData: ({ adaptorStates }) => {
        found ??= textOf((adaptorStates as Resource)['cursor']);
        stream.close();
      },
    });
    await stream.ended.catch((error: unknown) => {
      if (found === undefined && !(error instanceof Failure)) throw error;
    });
    return found;
  };

  /** Follows the stream until the connection ends. */
  const follow = async (signIn: SignIn): Promise<void> => {
    const { url, accessToken } = signIn;
    cursor ??= await findBeginning(url, accessToken);
    const stream = subscribe({
      url,
      accessToken,
      query: eventQuery,
      variables: { after: cursor },
      onOpen: () => {
        if (progress.state === 'BEGUN') say(`Following the records of ${url}`);
        progress.state = 'WORKED';
      },
      onData: ({ metadataEvents }) => {
        const event = metadataEvents as Resource;
        pauseMs = firstPauseMs;
        printed = printed.then(async () => {
          await printEvent(event);
          cursor = textOf(event['cursor']);
        });
        printed.catch(() => stream.close());
      },
    });
    try {
      await stream.ended;
    } finally {
      const queued = printed;
      printed = Promise.resolve();
      await queued;
    }
  };

  for (;;) {
    try {
      await follow(refused === undefined ? await hub.signIn() : await hub.renew(refused));
    } catch (error) {
      const isRefused = error instanceof ConnectionEnd && error.refused;
      // a new token is refused as well
      if (isRefused && refused !== undefined)
        throw new Failure(exitStatus.notSignedIn, `the service refuses the sign-in: ${error.reason}`);
      if (!(error instanceof ConnectionEnd) && !(error instanceof Unreachable)) throw error;
      if (progress.state === 'BEGUN' && !isRefused)
        throw error instanceof Unreachable
          ? error
          : new Unreachable(`${await hub.address()} cannot be reached: ${error.message}`);
      if (progress.state === 'WORKED') say(`The connection has ended (${error.message}): trying again`);
      if (progress.state === 'WORKED') progress.state = 'WAITS';
      refused = isRefused ? await hub.signIn() : undefined;
    }
    await wait(pauseMs);
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
};
