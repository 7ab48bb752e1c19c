import { ApolloClient, InMemoryCache, gql } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client as UrqlClient, subscriptionExchange } from '@urql/core';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { requireStatus } from '../../harness/catalogue.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

interface Data {
  readonly metadataEvents: { readonly cursor: string; readonly resourceUuid: string };
}

const query = `subscription ($resource: String!, $after: String) {
  metadataEvents(events: [{ resource: $resource, actions: [POST] }], after: $after) { cursor resourceUuid }
}`;

/** The messages and errors of a client's subscription. */
interface Outcome {
  readonly data: Data[];
  readonly codes: unknown[];
  stop(): void;
}

type Subscribe = (client: Client, variables: Readonly<Record<string, unknown>>) => Outcome;

const codeOf = (error: unknown): unknown => {
  const { errors, graphQLErrors } = error as { readonly errors?: unknown[]; readonly graphQLErrors?: unknown[] };
  const [first] = errors ?? graphQLErrors ?? (Array.isArray(error) ? (error as unknown[]) : [error]);
  return (first as { readonly extensions?: { readonly code?: string } }).extensions?.code ?? String(error);
};

const byApollo: Subscribe = (client, variables) => {
  const apollo = new ApolloClient({ link: new GraphQLWsLink(client), cache: new InMemoryCache() });
  const data: Data[] = [];
  const codes: unknown[] = [];
  const subscription = apollo
    .subscribe<Data>({ query: gql(query), variables: { ...variables }, fetchPolicy: 'no-cache' })
    .subscribe({
      next: (result) => {
        if (result.error !== undefined) codes.push(codeOf(result.error));
        if (result.data) data.push(result.data);
      },
      error: (error) => codes.push(codeOf(error)),
    });
  return { data, codes, stop: () => subscription.unsubscribe() };
};

const byUrql: Subscribe = (client, variables) => {
  const urql = new UrqlClient({
    url: 'http://127.0.0.1/graphql',
    preferGetMethod: false,
    exchanges: [
      subscriptionExchange({
        forwardSubscription: (request) => ({
          subscribe: (sink) => ({
            unsubscribe: client.subscribe(
              { query: request.query ?? '', variables: request.variables ?? {} },
              sink as never,
            ),
          }),
        }),
      }),
    ],
  });
  const data: Data[] = [];
  const codes: unknown[] = [];
  const subscription = urql.subscription<Data>(query, { ...variables }).subscribe((result) => {
    if (result.error !== undefined) codes.push(codeOf(result.error));
    if (result.data) data.push(result.data);
  });
  return { data, codes, stop: () => subscription.unsubscribe() };
};

describe('subscriptions of frontend libraries', () => {
  const { doors, leftovers } = setUpDoors();
  const connect = (): Client => {
    const client = createClient({
      url: `${doors.service.baseUrl.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: () => ({ authorization: `Bearer ${doors.admin.token}` }),
    });
    leftovers.add(() => void client.dispose());
    return client;
  };
  const createGroup = async (): Promise<string> =>
    requireStatus(await doors.admin.rest('POST', `/zones/${doors.root}/groups`, { name: uniqueName('g') }), 201).body
      .uuid;
  const resource = '/zones/?/groups/?';
  // Apollo Client expects the global WebSocket of browsers
  beforeAll(() => void Object.assign(globalThis, { WebSocket }));

  const libraries: readonly (readonly [string, Subscribe])[] = [
    ['Apollo Client', byApollo],
    ['urql', byUrql],
  ];
  it.each(libraries)('%s gets messages and resumes with the cursor of the last one', async (_, subscribe) => {
    const client = connect();
    const first = subscribe(client, { resource });
    await eventually(async () => {
      await createGroup();
      if (first.data.length === 0) throw new Error(`no message: ${JSON.stringify(first.codes)}`);
    });
    first.stop();
    const after = first.data.at(-1)?.metadataEvents.cursor;
    const missed = await createGroup();
    const second = subscribe(client, { resource, after });
    await eventually(async () => {
      if (!second.data.some(({ metadataEvents }) => metadataEvents.resourceUuid === missed)) throw new Error('not yet');
    });
    expect(second.data.map(({ metadataEvents }) => metadataEvents.cursor)).not.toContain(after);
    second.stop();
  });

  const refusals: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ resource, after: '999999999999' }, 'UNKNOWN_CURSOR'],
    [{ resource: 'zones' }, 'VALIDATION_FAILED'],
    [{ resource: '/drs/?' }, 'FORBIDDEN'],
  ];
  it.each(libraries)('%s gets the errors of refused subscriptions', async (_, subscribe) => {
    for (const [variables, code] of refusals) {
      const refused = subscribe(connect(), variables);
      await eventually(async () => expect(refused.codes).toEqual([code]));
      refused.stop();
    }
  });
});
