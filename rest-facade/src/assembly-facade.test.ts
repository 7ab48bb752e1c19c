import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@fds/errors';
import { eventually } from '@fds/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import type { AssemblyFacadeDependencies } from './assembly-facade.js';
import type { Answered } from './http/api-plugin.js';
import { authorization, openFacade } from './testing/open-facade.js';
import { ask, json, recording } from './testing/ask.js';
import { uuid } from './testing/samples.js';

describe('POST /request of the assembly service', () => {
  it('forwards the request and the response unchanged, with every digit', async () => {
    const { args, fields } = recording('assemble', { response: {} });
    const body = `{"domain":"customer","drKeys":[{"id":9223372036854775807}],"adaptors":["${uuid}"],"size":5}`;
    expect((await ask(fields, json('POST', '/request', body))).status).toBe(200);
    expect(args).toEqual([
      {
        request: expect.objectContaining({
          domain: 'customer',
          drKeys: [{ id: 9223372036854775807n }],
          adaptors: [uuid],
          size: 5,
        }),
      },
    ]);
  });

  it('inserts the JSON of the response unchanged', async () => {
    const { text } = await ask(
      { assemble: () => ({ response: { exact: 9223372036854775807n } }) },
      json('POST', '/request', '{"domain":"c"}'),
    );
    expect(text).toBe('{"exact":9223372036854775807}');
  });

  it('reports every fault of the body', async () => {
    const { status, json: problem } = await ask(
      {},
      json('POST', '/request', '{"domain":1,"releasePolicy":"PLATINUM","colour":"red"}'),
    );
    expect(status).toBe(400);
    expect(problem['errors']).toEqual(
      expect.arrayContaining(
        ['/domain', '/releasePolicy', '/colour'].map((pointer) => expect.objectContaining({ pointer })),
      ),
    );
  });

  it('requires the permission GET on /drs', async () => {
    const request = json('POST', '/request', '{"domain":"c"}');
    expect(
      (await ask({ assemble: () => ({ response: {} }) }, request, [{ action: 'GET', resource: '/drs' }])).status,
    ).toBe(200);
    expect((await ask({}, request, [{ action: 'POST', resource: '/request' }])).status).toBe(403);
  });
});

type AssembleLines = AssemblyFacadeDependencies['assembleLines'];

describe('POST /request with Accept: application/x-ndjson', () => {
  let server: FastifyInstance | undefined;
  afterEach(() => server?.close());

  const open = async (assembleLines: AssembleLines, unreadMs = 30_000) => {
    const answered: Answered[] = [];
    let unread = 0;
    const lines = {
      assembleLines,
      unreadMs,
      onAnswered: (one: Answered) => void answered.push(one),
      onUnread: () => void (unread += 1),
    };
    server = await openFacade({}, undefined, undefined, lines);
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const send = (body: string, accept = 'application/x-ndjson') => {
      const headers = { authorization, accept, 'content-type': 'application/json' };
      return httpRequest({ host: '127.0.0.1', port, path: '/request', method: 'POST', headers }).end(body);
    };
    const receive = async (body: string, accept?: string) => {
      const [response] = (await once(send(body, accept), 'response')) as [IncomingMessage];
      const text = (await response.setEncoding('utf8').toArray()).join('');
      return { status: response.statusCode, headers: response.headers, text };
    };
    return { send, receive, answered, unread: () => unread };
  };

  const gives = (...lines: unknown[]): AssembleLines =>
    async function* () {
      yield* lines;
    };

  it('answers one line for each value, with every digit, and tells proxies not to store it', async () => {
    const { receive, answered } = await open(gives({ index: 0, n: 9223372036854775807n }, { end: true }));
    const { status, headers, text } = await receive('{"domain":"c"}');
    expect([status, text]).toEqual([200, '{"index":0,"n":9223372036854775807}\n{"end":true}\n']);
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    });
    await eventually(() => expect(answered).toMatchObject([{ status: 200, lines: 2 }]));
  });

  it('passes on the request with the defaults of the schema and without nulls', async () => {
    const given: unknown[] = [];
    const { receive } = await open(async function* (request) {
      given.push(request);
      yield {};
    });
    await receive('{"domain":"c","drKeys":[{"id":9223372036854775807}],"query":null,"options":{}}');
    expect(given).toEqual([
      expect.objectContaining({ domain: 'c', drKeys: [{ id: 9223372036854775807n }], timeout: 30, size: 10 }),
    ]);
    expect(given[0]).not.toHaveProperty('query');
  });

  it.each([
    ['application/x-ndjson;q=0.5, application/json;q=0.4', 'application/x-ndjson; charset=utf-8'],
    ['application/json;q=0.4, application/*;q=0.3, application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['image/png', 'application/problem+json; charset=utf-8'],
    ['application/x-ndjson;q=0', 'application/problem+json; charset=utf-8'],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const { receive } = await open(gives({}));
    const { status, headers } = await receive('{"domain":"c"}', accept);
    expect([status, headers['content-type']]).toEqual([type.includes('problem') ? 406 : 200, type]);
  });

  it('answers with a problem when the first line fails', async () => {
    const refuse: AssembleLines = () => {
      throw new AppError('NOT_FOUND', 'there is no such domain');
    };
    const { receive } = await open(refuse);
    const { status, headers, text } = await receive('{"domain":"c"}');
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(JSON.parse(text)).toMatchObject({ code: 'NOT_FOUND', instance: '/request' });
    const faulty = await receive('{"domain":1,"colour":"red"}');
    expect(faulty.status).toBe(400);
    expect(JSON.parse(faulty.text)).toMatchObject({
      errors: expect.arrayContaining(['/domain', '/colour'].map((pointer) => expect.objectContaining({ pointer }))),
    });
  });

  it('ends with a problem after the first line, and does not reveal its cause', async () => {
    const failing = (error: Error): AssembleLines =>
      async function* () {
        yield { index: 0 };
        throw error;
      };
    const last = async (error: Error): Promise<unknown> => {
      await server?.close();
      const { receive } = await open(failing(error));
      const { status, text } = await receive('{"domain":"c"}');
      expect([status, text.endsWith('\n')]).toEqual([200, true]);
      return JSON.parse(text.trim().split('\n').at(-1) ?? '');
    };
    expect(await last(new AppError('UNAVAILABLE', 'the database is away'))).toMatchObject({
      problem: { status: 503, code: 'UNAVAILABLE', detail: 'the database is away', instance: '/request' },
    });
    const hidden = await last(new Error('password=1234'));
    expect(hidden).toMatchObject({ problem: { status: 500, code: 'INTERNAL' } });
    expect(JSON.stringify(hidden)).not.toContain('1234');
  });

  it('sends each line at once', async () => {
    let release = (): void => undefined;
    const later = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { send } = await open(async function* () {
      yield { index: 0 };
      await later;
      yield { index: 1 };
    });
    const [response] = (await once(send('{"domain":"c"}'), 'response')) as [IncomingMessage];
    const received: string[] = [];
    for await (const chunk of response.setEncoding('utf8')) {
      received.push(String(chunk));
      release();
    }
    expect(received).toEqual(['{"index":0}\n', '{"index":1}\n']);
  });

  it('stops when the caller disconnects', async () => {
    let [returned, aborted] = [false, false];
    const { send } = await open(async function* (_request, { signal }) {
      signal?.addEventListener('abort', () => {
        aborted = true;
      });
      try {
        for (let index = 0; ; index += 1) {
          yield { index };
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        returned = true;
      }
    });
    const sent = send('{"domain":"c"}');
    sent.on('error', () => undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response, 'data');
    sent.destroy();
    await eventually(() => expect([returned, aborted]).toEqual([true, true]));
  });

  it('pulls no more lines than the client reads, and disconnects a client that reads nothing', async () => {
    const text = 'x'.repeat(100_000);
    let pulled = 0;
    let returned = false;
    const { send, answered, unread } = await open(async function* () {
      try {
        for (let index = 0; index < 10_000; index += 1) {
          pulled += 1;
          yield { index, text };
        }
      } finally {
        returned = true;
      }
    }, 300);
    const sent = send('{"domain":"c"}');
    sent.on('error', () => undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).pause();
    await eventually(() => expect([returned, unread()]).toEqual([true, 1]));
    // the kernel's buffer for the connection and a few lines, not the gigabyte of the answer
    expect(pulled).toBeLessThan(500);
    await eventually(() => expect(answered).toMatchObject([{ status: 200 }]));
    sent.destroy();
  });

  it('disconnects a client that does not read the end', async () => {
    const text = 'x'.repeat(200_000);
    // small enough to be written as a whole, too large for the connection's buffer
    const { send, unread } = await open(gives(...Array.from({ length: 80 }, () => ({ text }))), 300);
    const sent = send('{"domain":"c"}');
    sent.on('error', () => undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).pause();
    await eventually(() => expect(unread()).toBe(1));
    sent.destroy();
  });
});
