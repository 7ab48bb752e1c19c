import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { servePageFile } from './serve-page-file.js';

const script = 'export const answer = 42; // é\n'.repeat(500);

describe('a file of a page', () => {
  let folder: string;
  let file: string;
  let app: FastifyInstance;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fds-page-'));
    file = join(folder, 'page.js');
    writeFileSync(file, script);
    app = fastify();
    servePageFile(app, { path: '/page.js', file, type: 'text/javascript; charset=utf-8' });
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const get = (accepted?: string) =>
    app.inject({ url: '/page.js', headers: accepted === undefined ? {} : { 'accept-encoding': accepted } });

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
  ])('is compressed for a client that accepts %s', async (accepted, coding, unpack) => {
    const { headers, rawPayload } = await get(accepted);
    expect(headers).toMatchObject({
      'content-encoding': coding,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
    });
    expect(unpack(rawPayload).toString('utf8')).toBe(script);
    expect(rawPayload.length).toBeLessThan(script.length / 10);
  });

  it('is sent uncompressed to other clients', async () => {
    const { headers, body } = await get();
    expect(headers).toMatchObject({ vary: 'accept-encoding' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body).toBe(script);
  });

  it('is read and compressed once', async () => {
    const [first, second] = await Promise.all([get('br'), get('br')]);
    rmSync(file);
    const third = await get('br');
    expect([second.rawPayload, third.rawPayload]).toEqual([first.rawPayload, first.rawPayload]);
  });

  it('is read again after reading failed', async () => {
    rmSync(file);
    expect((await get('gzip')).statusCode).toBe(500);
    writeFileSync(file, script);
    expect((await get('gzip')).statusCode).toBe(200);
  });
});
