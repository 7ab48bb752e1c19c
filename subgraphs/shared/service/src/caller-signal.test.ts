import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callerGone, callerSignal } from './caller-signal.js';

describe('the signal of a caller', () => {
  let respond: (response: ServerResponse) => void;
  const server = createServer((_request, response) => respond(response));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
  });

  const send = () => {
    const sent = request({ port: (server.address() as AddressInfo).port });
    const served = new Promise<ServerResponse>((resolve) => {
      respond = resolve;
    });
    sent.on('error', () => undefined).end();
    return { sent, served };
  };

  it('aborts when the caller goes before the answer', async () => {
    const { sent, served } = send();
    const signal = callerSignal(await served);
    expect(signal.aborted).toBe(false);
    sent.destroy();
    await once(signal, 'abort');
    expect(signal.reason).toBe(callerGone);
  });

  it('is aborted already when the caller has gone', async () => {
    const { sent, served } = send();
    const response = await served;
    sent.destroy();
    await once(response, 'close');
    expect(callerSignal(response).aborted).toBe(true);
  });

  it('stays when the answer has been sent', async () => {
    const { sent, served } = send();
    const response = await served;
    const signal = callerSignal(response);
    const closed = once(response, 'close');
    sent.on('response', (received) => received.resume());
    response.end('done');
    await closed;
    expect(signal.aborted).toBe(false);
  });
});
