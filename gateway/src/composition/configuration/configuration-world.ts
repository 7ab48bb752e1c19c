import type { Action } from '@fds/access-rules';
import type { Principal } from '@fds/auth';
import type { JoinedWork } from '@fds/database';
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '@fds/json';
import type { InsideCaller, RestCall } from '@fds/rest-facade';
import type { RestWorld } from '@fds/rest-facade/configuration';
import type { HoldsSecret } from './holds-secret.js';

export interface WorldOptions {
  readonly call: RestCall;
  readonly caller: InsideCaller;
  readonly joined: JoinedWork;
  /** The caller with the permissions that joined work has left; undefined: the caller lost all of them. */
  readonly readCaller: () => Promise<Principal | undefined>;
  readonly holdsSecret: HoldsSecret;
}

const pageSize = 1000;

/** The REST API inside of the service, as one caller uses it in joined work. */
export const createWorld = ({ call, caller, joined, readCaller, holdsSecret }: WorldOptions): RestWorld => {
  let { principal } = caller;
  const send = (method: Action, target: string, body?: JsonValue): Promise<JsonValue> =>
    call({ ...caller, principal }, method, target, body);
  return {
    read: async <Body>(path: string) => (await send('GET', path)) as Body,
    list: async <Element>(path: string, query = '') => {
      const all: JsonValue[] = [];
      for (let page = 0; ; page += 1) {
        const answer = (await send(
          'GET',
          `${path}?page=${page}&size=${pageSize}${query === '' ? '' : `&${query}`}`,
        )) as JsonObject;
        const elements = Object.entries(answer).find(([name, value]) => !name.startsWith('_') && Array.isArray(value));
        all.push(...((elements?.[1] ?? []) as JsonArray));
        const { _page: shown } = answer;
        const totalPages = isJsonObject(shown) ? shown['totalPages'] : 0;
        if (typeof totalPages !== 'number' || page + 1 >= totalPages) return all as Element[];
      }
    },
    write: async (method, path, body) => (await send(method, path, body)) as JsonObject,
    attempt: (work, keeps) => joined.attempt(work, keeps),
    refreshCaller: async () => {
      principal = (await readCaller()) ?? { ...principal, permits: () => false };
    },
    holdsSecret: (...compared) => holdsSecret(principal, ...compared),
  };
};
