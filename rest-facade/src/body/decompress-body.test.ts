import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { decompressBody } from './decompress-body.js';

const text = '{"name":"North"}';

describe('decompressBody', () => {
  it.each([
    [undefined, Buffer.from(text)],
    ['identity', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    [' GZIP ', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ])('reads %s', async (encoding, bytes) => {
    expect((await decompressBody(bytes, encoding, 100)).toString()).toBe(text);
  });

  it.each([
    ['compress', gzipSync(text), 'UNSUPPORTED_MEDIA_TYPE'],
    ['gzip, gzip', gzipSync(gzipSync(text)), 'UNSUPPORTED_MEDIA_TYPE'],
    ['toString', gzipSync(text), 'UNSUPPORTED_MEDIA_TYPE'],
    ['gzip', Buffer.from(text), 'MALFORMED_JSON'],
    ['gzip', gzipSync(text).subarray(0, 20), 'MALFORMED_JSON'],
    ['gzip', gzipSync('x'.repeat(1_000_000)), 'PAYLOAD_TOO_LARGE'],
    ['br', brotliCompressSync('x'.repeat(101)), 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s of a body with a wrong encoding or too many bytes', async (encoding, bytes, code) => {
    await expect(decompressBody(bytes, encoding, 100)).rejects.toMatchObject({ code });
  });
});
