import { parseJson, type JsonObject } from '@fds/json';
import type { Grant } from '@fds/access-rules';
import type { InjectOptions } from 'fastify';
import { authorization, openFacade, type RootFields } from './open-facade.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: JsonObject;
}

/** Opens a facade, sends one request with a good token, and closes it. */
export const ask = async (fields: RootFields, request: InjectOptions, grants?: readonly Grant[]): Promise<Answer> => {
  const server = await openFacade(fields, grants);
  const response = await server.inject({ ...request, headers: { authorization, ...request.headers } });
  await server.close();
  const text = response.body;
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: (text.startsWith('{') ? parseJson(text) : {}) as JsonObject,
  };
};

/** Root fields that record their arguments. */
export const recording = (name: string, result: unknown): { fields: RootFields; args: Record<string, unknown>[] } => {
  const args: Record<string, unknown>[] = [];
  return {
    args,
    fields: {
      [name]: (given) => {
        args.push(given);
        return result;
      },
    },
  };
};

/** A request with a JSON body. */
export const json = (method: 'POST' | 'PUT' | 'PATCH', url: string, payload: string): InjectOptions => ({
  method,
  url,
  payload,
  headers: { 'content-type': 'application/json' },
});
