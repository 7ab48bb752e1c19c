import type { RequestContext } from '@fds/graphql';
import { callerGone } from '@fds/service';
import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silent } from '../testing/sample-gateway.js';
import { contextOf, createSampleSubgraphs, sampleAuthenticate } from '../testing/sample-subgraphs.js';
import { serveSubgraph } from '../testing/serve-subgraph.js';
import { describeDataSource } from './data-source.contract.js';
import { createGatewayProofs } from '../subgraph-server/gateway-proof.js';
import { createGraphqlClient } from './graphql-client.js';
import { createHttpDataSource } from './http-data-source.js';

const proofs = createGatewayProofs(Buffer.alloc(32, 'key'), () => new Date());
const listen = {
  host: '127.0.0.1',
  port: 0,
  authenticate: sampleAuthenticate,
  admit: sampleAuthenticate,
  proofs,
  log: silent,
};

describeDataSource('over HTTP', async (subgraphs, name) => {
  const served = await serveSubgraph({ ...listen, subgraph: subgraphs[name] });
  const client = createGraphqlClient({ url: served.url, proofs });
  return {
    source: createHttpDataSource(client),
    close: async () => {
      await client.close();
      await served.close();
    },
  };
});

describe('a subgraph over HTTP', () => {
  it('answers nothing to a gateway without a valid token', async () => {
    const served = await serveSubgraph({ ...listen, subgraph: createSampleSubgraphs().catalog });
    const client = createGraphqlClient({ url: served.url, proofs });
    for (const authorization of [undefined, 'Bearer bad']) {
      expect(await client.send({ query: '{ __typename }' }, { ...contextOf(), authorization })).toMatchObject({
        errors: [{ extensions: { code: 'UNAUTHENTICATED', requestId: 'request-1' } }],
      });
    }
    await client.close();
    await served.close();
  });
});

describe('a fetch whose caller disconnects', () => {
  it('is cancelled in the subgraph too', async () => {
    const subgraph = createSampleSubgraphs().catalog;
    let begun: AbortSignal | undefined;
    const zones = subgraph.schema.getQueryType()?.getFields()['zones'];
    if (zones === undefined) throw new Error('the sample has no zones');
    zones.resolve = (_source, _args, { signal }: RequestContext) => {
      begun = signal;
      return new Promise(() => undefined);
    };
    const served = await serveSubgraph({ ...listen, subgraph });
    const client = createGraphqlClient({ url: served.url, proofs });
    const caller = new AbortController();
    const context = { ...contextOf(), authorization: 'Bearer good', signal: caller.signal };
    const fetched = client.send({ query: '{ zones { page { page } } }' }, context);
    await eventually(() => expect(begun).toBeDefined());
    expect(begun?.aborted).toBe(false);
    caller.abort(callerGone);
    await expect(fetched).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: callerGone });
    await eventually(() => expect(begun?.aborted).toBe(true));
    await client.close();
    await served.close();
  });
});

describe('a subgraph that does not answer properly', () => {
  it('is UNAVAILABLE without a server, after the time-out, and for an answer that is not GraphQL', async () => {
    const mute = createServer((request, response) => {
      if (request.url === '/odd') response.end('<html>');
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port: freePort } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const urls = [`http://127.0.0.1:${freePort}/`, `http://127.0.0.1:${port}/slow`, `http://127.0.0.1:${port}/odd`];
    for (const url of urls) {
      const client = createGraphqlClient({ url, proofs, timeoutMs: 100 });
      const failure: unknown = await client
        .send({ query: '{ __typename }' }, contextOf())
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.not.stringContaining('127.0.0.1') });
      await client.close();
    }
    mute.closeAllConnections();
    await new Promise((resolve) => mute.close(resolve));
  });
});
