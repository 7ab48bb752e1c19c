import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { serverAudits } from 'graphql-http';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { sampleAuthenticate } from '../testing/sample-subgraphs.js';
import { createGraphqlEndpoint } from './graphql-endpoint.js';

let app: FastifyInstance;
let url = '';

beforeAll(async () => {
  const { gateway, executor } = createSampleGateway();
  const endpoint = await createGraphqlEndpoint({
    executor,
    staticSchema: gateway.staticSchema,
    authenticate: sampleAuthenticate,
    log: silent,
  });
  app = fastify();
  await app.register(endpoint.plugin);
  app.addHook('onClose', () => endpoint.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/graphql`;
});
afterAll(() => app.close());

const authorizedFetch = (input: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers);
  headers.set('authorization', 'Bearer good');
  return fetch(input, { ...init, headers });
};

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => url, fetchFn: authorizedFetch });

  it.each(audits.map((audit) => [audit.id, audit.name, audit.fn] as const))(
    'passes audit %s: %s',
    async (_id, _name, run) => {
      const result = await run();
      // an unmet MAY of the audit is a notice, an unmet SHOULD a warning
      expect(['ok', 'notice']).toContain(result.status);
    },
  );
});
