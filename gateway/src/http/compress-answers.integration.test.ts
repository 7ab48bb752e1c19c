import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { compressAnswers } from './compress-answers.js';

const long = JSON.stringify({ rows: Array.from({ length: 200 }, (_, row) => ({ row, text: `row ${row} é` })) });
const huge = 'x'.repeat(8 * 2 ** 20 + 1);

describe('compressed answers', () => {
  let app: FastifyInstance;
  beforeEach(() => {
    app = fastify();
    compressAnswers(app);
    app.get('/long', (_request, reply) => reply.header('etag', '"5"').header('vary', 'Origin').send(long));
    app.get('/short', () => 'x'.repeat(1023));
    app.get('/huge', () => huge);
    app.get('/stream', (_request, reply) => reply.send(Readable.from([long])));
    app.get('/packed', (_request, reply) => reply.header('content-encoding', 'zstd').send(long));
    app.get('/as-is', (_request, reply) => reply.header('cache-control', 'no-transform').send(long));
  });
  afterEach(() => app.close());

  const get = (url: string, accepted?: string) =>
    app.inject({ url, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } });

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['BR;q=0.5, GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
  ])('to a client that accepts %s are in %s', async (accepted, coding) => {
    const answer = await get('/long', accepted);
    const body = coding === 'br' ? brotliDecompressSync(answer.rawPayload) : gunzipSync(answer.rawPayload);
    expect(body.toString('utf8')).toBe(long);
    expect(answer.headers).toMatchObject({
      'content-encoding': coding,
      'content-length': String(answer.rawPayload.length),
      etag: `"5;${coding}"`,
      vary: 'Origin, accept-encoding',
    });
    expect(answer.rawPayload.length).toBeLessThan(long.length / 4);
  });

  it.each([[undefined], ['identity'], ['zstd'], ['gzip;q=0'], ['']])(
    'are not sent to a client that accepts %s, and have the header Vary',
    async (accepted) => {
      const answer = await get('/long', accepted);
      expect(answer.body).toBe(long);
      expect(answer.headers).toMatchObject({ etag: '"5"', vary: 'Origin, accept-encoding' });
      expect(answer.headers).not.toHaveProperty('content-encoding');
    },
  );

  it.each([
    ['short', '/short', undefined],
    ['too long', '/huge', undefined],
    ['sent piece by piece', '/stream', undefined],
    ['compressed already', '/packed', 'zstd'],
    ['not to be changed', '/as-is', undefined],
  ])('are not used when the answer is %s', async (_why, url, coding) => {
    const answer = await get(url, 'gzip');
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.headers['vary']).toBeUndefined();
  });

  it('are made for two answers at a time; the others are sent uncompressed', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/long', 'gzip')));
    const packed = answers.filter(({ headers }) => headers['content-encoding'] === 'gzip');
    expect(packed.length).toBeGreaterThan(0);
    expect(packed.length).toBeLessThan(answers.length);
    for (const { headers, rawPayload } of answers) {
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload;
      expect(body.toString('utf8')).toBe(long);
    }
    expect((await get('/long', 'gzip')).headers['content-encoding']).toBe('gzip');
  });
});
