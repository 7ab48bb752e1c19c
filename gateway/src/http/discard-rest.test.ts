import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { discardRefusedBodies, type DiscardLimits } from './discard-rest.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const listen = async (listener: RequestListener, limits?: DiscardLimits): Promise<number> => {
  const started = createServer(listener);
  server = started;
  discardRefusedBodies(started, limits);
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
};

const refuse: RequestListener = (_request, response) => {
  response.writeHead(413, { connection: 'close' }).end('too large');
};

interface Heard {
  readonly text: string;
  readonly error: string | undefined;
}

/** Sends the head, and then the body in pieces whatever the server answers. Reads the answer only after all is sent. */
const send = async (port: number, head: string, pieces: number, piece: Buffer): Promise<Heard> => {
  const socket: Socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const errors: (string | undefined)[] = [];
  socket.on('error', (cause: NodeJS.ErrnoException) => errors.push(cause.code));
  socket.write(head);
  socket.pause();
  for (let sent = 0; sent < pieces && errors.length === 0; sent += 1) {
    await new Promise<void>((resolve) => {
      if (socket.write(piece, () => resolve())) return;
      socket.once('close', () => resolve());
    });
  }
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  if (!socket.destroyed) {
    await new Promise<void>((resolve) => {
      socket.once('end', () => socket.end());
      socket.once('close', () => resolve());
    });
  }
  return { text: Buffer.concat(chunks).toString(), error: errors[0] };
};

const piece = Buffer.alloc(64 * 1024, 'x');

describe('an answer that comes before the end of its request', () => {
  it('reaches a client that sends everything before it reads', async () => {
    const port = await listen(refuse);
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * piece.length}\r\n\r\n`;
    const { text, error } = await send(port, head, 64, piece);
    expect({ text, error }).toEqual({ text: expect.stringContaining('413'), error: undefined });
    expect(text).toContain('too large');
  });

  it('reaches a client whose body the door has stopped reading', async () => {
    const port = await listen((request, response) => {
      request.once('data', () => {
        request.pause();
        response.writeHead(413, { connection: 'close' }).end('too large');
      });
    });
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * piece.length}\r\n\r\n`;
    const { text, error } = await send(port, head, 64, piece);
    expect({ text, error }).toEqual({ text: expect.stringContaining('413'), error: undefined });
  });

  it('is followed by a cut when the rest is too long, or takes too long', async () => {
    const bytes = await listen(refuse, { maxBytes: 4 * piece.length, maxMs: 60_000 });
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${10_000 * piece.length}\r\n\r\n`;
    const flood = await send(bytes, head, 10_000, piece);
    expect(flood.error).toMatch(/EPIPE|ECONNRESET/);
    server?.close();
    const time = await listen(refuse, { maxBytes: 1e9, maxMs: 50 });
    const slow = connect(time, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(head);
    await new Promise((resolve) => {
      slow.resume();
      slow.once('close', resolve);
    });
    expect(slow.destroyed).toBe(true);
  });

  it('leaves a connection that is kept alive to the next request', async () => {
    const port = await listen((request, response) => void response.end(request.url));
    const first = `POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: ${piece.length}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const heard = (part: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (text.includes(part)) resolve();
          else socket.once('data', () => setImmediate(look));
        };
        look();
      });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(first);
    await heard('/first');
    socket.write(piece);
    socket.write('GET /second HTTP/1.1\r\nHost: x\r\n\r\n');
    await heard('/second');
    socket.destroy();
  });
});

describe('a client that waits for 100 Continue', () => {
  const expecting = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n`;

  it('gets the refusal at once, and no 100', async () => {
    const port = await listen(refuse);
    const { text } = await send(port, expecting, 0, piece);
    expect(text).toMatch(/^HTTP\/1\.1 413/);
  });

  it('gets 100 when the body is read', async () => {
    const port = await listen((request, response) => {
      request.resume().once('end', () => response.writeHead(200, { connection: 'close' }).end('done'));
    });
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      if (text === '') socket.write('abc');
      text += chunk.toString();
    });
    socket.write(expecting);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
  });
});
