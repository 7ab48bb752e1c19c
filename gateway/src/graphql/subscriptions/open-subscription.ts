import { AppError } from '@fds/errors';
import type { GraphqlErrorAnswer, RequestContext } from '@fds/graphql';
import type { Log } from '@fds/service';
import { type DocumentNode, Kind, visit } from 'graphql';
import { answerErrors } from '../../errors/answer-errors.js';
import type { InProcessOperation } from '../../executor/graphql-executor.js';
import type { SocketEnd, Subscriptions } from './create-subscriptions.js';
import type { SharedPayload } from './shared-payload.js';
import type { OpenSession } from './token-session.js';
import type { ShownSocket } from './shown-sockets.js';
import { stringifyJson } from '@fds/json';

type Variables = Readonly<Record<string, unknown>>;

/** The variable that is used only for the argument `after`. It does not change the content of a message. */
const cursorVariable = (document: DocumentNode): string | undefined => {
  const uses = new Map<string, number>();
  let cursor: string | undefined;
  visit(document, {
    Argument: ({ name, value }) => {
      if (name.value === 'after' && value.kind === Kind.VARIABLE) cursor = value.name.value;
    },
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
  });
  return cursor !== undefined && uses.get(cursor) === 1 ? cursor : undefined;
};

/** Equal for subscriptions that send the same messages to the same caller. */
const subscriptionKey = (
  query: string,
  operationName: string | undefined,
  document: DocumentNode,
  variables: Variables,
): string => {
  const cursor = cursorVariable(document);
  const names = Object.keys(variables)
    .filter((name) => name !== cursor)
    .sort();
  return stringifyJson([operationName ?? '', names.map((name) => [name, variables[name]]), query]);
};

export type { ShownSocket } from './shown-sockets.js';

/** Creates the subscriptions of websockets. */
export interface SocketSubscriptions {
  readonly subscriptions: Subscriptions;
  readonly openSession: OpenSession;
  /** Call it when a websocket is opened. */
  showSocket(): ShownSocket;
}

export interface OpeningSubscription {
  readonly operation: InProcessOperation;
  readonly document: DocumentNode;
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  readonly shown: ShownSocket | undefined;
  readonly endSocket: (reason: SocketEnd) => void;
  readonly log: Log;
}

export type OpenedSubscription =
  | { readonly messages: AsyncGenerator<SharedPayload, void, undefined> }
  | { readonly errors: readonly GraphqlErrorAnswer[] };

/** Opens a subscription of a websocket. The causes of a refusal are in `errors`. */
export const openSubscription = async (
  sockets: SocketSubscriptions | undefined,
  opening: OpeningSubscription,
): Promise<OpenedSubscription> => {
  const { operation, document, query, operationName, variables, context, shown, endSocket, log } = opening;
  const { requestId, authorization } = context;
  try {
    if (sockets === undefined) throw new AppError('UNAVAILABLE', 'there are no subscriptions here');
    const session = await sockets.openSession(authorization);
    // the signal would abort the fetches of all later messages together with the first
    const { signal: _signal, ...lasting } = context;
    const followed = await operation.follow(variables, lasting);
    if ('errors' in followed) return followed;
    const { source } = followed;
    const entry = shown?.add(context.principal.uuid, { name: source.name, events: source.events });
    if (entry === 'TOO_MANY')
      throw new AppError('RATE_LIMITED', 'the socket has as many subscriptions as one may have');
    try {
      const messages = await sockets.subscriptions.open({
        followed,
        key: `${source.identity ?? ''} ${context.longAs ?? ''} ${subscriptionKey(query, operationName, document, variables)}`,
        context: lasting,
        session,
        endSocket,
        onEnd: () => entry?.remove(),
      });
      return { messages };
    } catch (error) {
      entry?.remove();
      throw error;
    }
  } catch (error) {
    return { errors: answerErrors([error], { requestId, log }) };
  }
};
