import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { setUpDoors } from '../set-up-doors.js';

const { doors } = setUpDoors();
const piece = Buffer.alloc(64 * 1024, 'x');

interface Refused {
  readonly door: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** Without a length the door learns while it reads that the body is too large. */
  readonly chunked?: boolean;
}

const json = { 'content-type': 'application/json' };
const megabytes = (count: number): number => count * 1024 * 1024;

/** Sends the whole body in pieces before it reads anything, as simple clients do. */
const sendAll = async (
  base: string,
  path: string,
  { headers, bytes, chunked }: Pick<Refused, 'headers' | 'bytes' | 'chunked'>,
): Promise<string> => {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const failures: Error[] = [];
  socket.on('error', (error) => failures.push(error));
  const lines = Object.entries({
    host: hostname,
    ...headers,
    ...(chunked === true ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
  }).map(([name, value]) => `${name}: ${value}`);
  socket.pause();
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const framed =
    chunked === true
      ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
      : piece;
  for (let sent = 0; sent < bytes && failures.length === 0; sent += piece.length) {
    await new Promise<void>((resolve) => socket.write(framed, () => resolve()));
  }
  if (chunked === true) socket.write('0\r\n\r\n');
  socket.end();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  expect(failures).toEqual([]);
  return Buffer.concat(chunks).toString();
};

describe('a client that is still sending the body of a refused request', () => {
  const refused: readonly Refused[] = [
    { door: '/api/domains', status: 413, headers: json, bytes: megabytes(4) },
    { door: '/api/domains', status: 413, headers: json, bytes: megabytes(4), chunked: true },
    { door: '/api/domains', status: 415, headers: { 'content-type': 'text/plain' }, bytes: megabytes(4) },
    { door: '/api/domains', status: 401, headers: { ...json, authorization: 'Bearer x' }, bytes: megabytes(4) },
    { door: '/api/nothing', status: 413, headers: json, bytes: megabytes(4) },
    { door: '/api/drs/bulk', status: 413, headers: { 'content-type': 'application/x-ndjson' }, bytes: megabytes(20) },
    {
      door: '/api/drs/bulk',
      status: 413,
      headers: { 'content-type': 'application/x-ndjson' },
      bytes: megabytes(20),
      chunked: true,
    },
    { door: '/api/drs/bulk', status: 415, headers: { 'content-type': 'text/plain' }, bytes: megabytes(4) },
    {
      door: '/api/drs/bulk',
      status: 400,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      bytes: megabytes(4),
    },
    { door: '/graphql', status: 413, headers: json, bytes: megabytes(4) },
    { door: '/graphql', status: 413, headers: json, bytes: megabytes(4), chunked: true },
    { door: '/graphql', status: 401, headers: { ...json, authorization: 'Bearer x' }, bytes: megabytes(4) },
    {
      door: '/oauth2/token',
      status: 400,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      bytes: megabytes(4),
    },
    { door: '/request', status: 413, headers: json, bytes: megabytes(4) },
    { door: '/request', status: 401, headers: { ...json, authorization: 'Bearer x' }, bytes: megabytes(4) },
  ];

  it.each(refused)('reads the $status of $door', async ({ door, status, headers, bytes, chunked }) => {
    const { service, dgs } = doors;
    const base = door === '/request' ? service.assemblyUrl : service.baseUrl;
    const signed = { authorization: `Bearer ${dgs.token}`, ...headers };
    const answer = await sendAll(base, door, { headers: signed, bytes, ...(chunked === undefined ? {} : { chunked }) });
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('may be fetch', async () => {
    const { service, dgs } = doors;
    const answer = await fetch(`${service.baseUrl}/api/domains`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${dgs.token}` },
      body: Buffer.alloc(megabytes(8), ' '),
    });
    expect([answer.status, await answer.json()]).toMatchObject([413, { code: 'PAYLOAD_TOO_LARGE' }]);
  });

  it('may wait for 100 Continue: it gets the refusal at once, and need not send the body', async () => {
    const { service, dgs } = doors;
    const sent = request(`${service.baseUrl}/api/domains`, {
      method: 'POST',
      headers: {
        ...json,
        authorization: `Bearer ${dgs.token}`,
        expect: '100-continue',
        'content-length': megabytes(8),
      },
    });
    const continued = new Promise<string>((resolve) => sent.once('continue', () => resolve('100')));
    const answered = new Promise<number | undefined>((resolve) =>
      sent.once('response', ({ statusCode }) => resolve(statusCode)),
    );
    sent.on('error', () => undefined).flushHeaders();
    expect(await Promise.race([continued, answered])).toBe(413);
    sent.destroy();
  });
});
