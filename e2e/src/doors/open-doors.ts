import { getToken } from '../harness/client.js';
import { exchange, type RawAnswer, type Sent } from '../harness/exchange.js';
import type { Leftovers } from '../harness/leftovers.js';
import { startService, type Service, type ServiceInUse } from '../harness/service.js';

/** A resource in the form of a REST answer. */
export type Resource = { readonly uuid: string; readonly name: string; readonly changeVersion: number } & Readonly<
  Record<string, unknown>
>;

/** One error of a GraphQL answer. */
interface GraphqlFault {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly requestId: string } & Readonly<Record<string, unknown>>;
}

export interface GraphqlAnswer<Data = Readonly<Record<string, unknown>>> {
  readonly data?: Data | null;
  readonly errors?: readonly GraphqlFault[];
}

/** The public doors for one caller. They return every answer unchanged. */
export interface Door {
  readonly token: string | undefined;
  /** Any path of the server. */
  call<Body>(path: string, sent?: Sent): Promise<RawAnswer<Body>>;
  /** A path below `/api`. */
  rest<Body = Resource>(method: string, path: string, json?: unknown): Promise<RawAnswer<Body>>;
  graphql<Data>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<RawAnswer<GraphqlAnswer<Data>>>;
}

/** The door of a caller with this token, or with none. */
export const doorOf = ({ baseUrl }: Pick<ServiceInUse, 'baseUrl'>, token?: string): Door => {
  const signed = token === undefined ? {} : { token };
  return {
    token,
    call: (path, sent) => exchange(`${baseUrl}${path}`, { ...signed, ...sent }),
    rest: (method, path, json) => exchange(`${baseUrl}/api${path}`, { ...signed, method, json }),
    graphql: (query, variables = {}) =>
      exchange(`${baseUrl}/graphql`, { ...signed, method: 'POST', json: { query, variables } }),
  };
};

/** The service of a test file, and its first callers. */
export interface Doors<S extends ServiceInUse = ServiceInUse> {
  readonly service: S;
  readonly admin: Door;
  readonly dgs: Door;
  /** A caller without a token. */
  readonly anyone: Door;
  /** Uuid of the zone Root. */
  readonly root: string;
}

/** Signs the first two users of a service in. */
export const signInDoors = async <S extends ServiceInUse>(service: S): Promise<Doors<S>> => {
  const { baseUrl, passwords } = service;
  const admin = doorOf(service, await getToken({ baseUrl, username: 'admin', password: passwords.admin }));
  const dgs = doorOf(service, await getToken({ baseUrl, username: 'dgs', password: passwords.dgs }));
  const { body, text } = await admin.rest<{ zones?: readonly Resource[] }>('GET', '/zones?filters=name:Root');
  const root = body.zones?.[0]?.uuid;
  if (root === undefined) throw new Error(`no zone Root: ${text}`);
  return { service, admin, dgs, anyone: doorOf(service), root };
};

/**
 * Starts a service and signs its first two users in.
 *
 * @param environment settings of the service
 * @param preload script that is loaded into the service first
 */
export const openDoors = async (
  leftovers: Leftovers,
  environment: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<Doors<Service>> => signInDoors(await startService(leftovers, environment, preload));
