import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bindServer } from '../../http/bound-server.js';
import { bindPort } from './bind-port.js';

const other = createServer();
beforeAll(async () => {
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(() => void other.close());

const bind = (host: string, port: number) =>
  bindPort({ variable: 'FDS_PORT', host, port }, () => bindServer(host, port));

describe('bindPort', () => {
  it('opens a free port', async () => {
    const bound = await bind('127.0.0.1', 0);
    expect(bound.port).toBeGreaterThan(0);
    await bound.close();
  });

  it('names the setting whose port another program uses', async () => {
    const { port } = other.address() as AddressInfo;
    await expect(bind('127.0.0.1', port)).rejects.toThrow(
      `FDS_PORT: port ${port} of 127.0.0.1 is in use by another program; set another port, or 0 for any free one`,
    );
  });

  it('names the setting whose address the machine does not have', async () => {
    await expect(bind('192.0.2.1', 0)).rejects.toThrow('FDS_HOST: 192.0.2.1 is not an address of this machine');
  });
});
