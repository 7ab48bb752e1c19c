import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedBroker, openEmbeddedBroker } from '@fds/adaptor-broker';
import type { DownDataEvent } from '@fds/adaptor-protocol';
import type { AdaptorOptions } from '../adaptor-options.js';
import type { RunningAdaptor } from '../adaptor.js';
import { startAdaptor } from '../start-adaptor.js';
import { createServerMemory, createTestServer, type ServerMemory, type TestServer } from './test-server.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** An embedded broker with a test server, and the processes of one adaptor. */
export interface AdaptorWorld {
  readonly adaptorUuid: string;
  /** Outlives the server and the bus. */
  readonly memory: ServerMemory;
  /** The present server. */
  readonly server: TestServer;
  /** Directory of the adaptor's journal. */
  readonly directory: string;
  /** The properties of the adaptor. */
  readonly properties: Readonly<Record<string, string>>;
  start(handlers: AdaptorOptions['handlers'], properties?: Readonly<Record<string, string>>): Promise<RunningAdaptor>;
  /** Ends the bus and the server, and opens them again at the same address. */
  restartServer(): Promise<void>;
  /** A change with `n` in its record, by default of domain `customer`, with a separate key and message group. */
  change(n: number, given?: Partial<DownDataEvent>): DownDataEvent;
  close(): Promise<void>;
}

export const openAdaptorWorld = async (): Promise<AdaptorWorld> => {
  const adaptorUuid = randomUUID();
  const directory = mkdtempSync(join(tmpdir(), 'fds-sdk-'));
  const memory = createServerMemory();
  const adaptors: RunningAdaptor[] = [];

  const open = async (port = 0): Promise<{ readonly broker: EmbeddedBroker; readonly server: TestServer }> => {
    const authenticate = async () => 'ACCEPTED' as const;
    const broker = await openEmbeddedBroker({ host: '127.0.0.1', port, authenticate, log: silent });
    return { broker, server: createTestServer(broker.bus, adaptorUuid, memory) };
  };
  const close = async ({ server, broker }: Awaited<ReturnType<typeof open>>): Promise<void> => {
    server.close();
    await broker.close();
  };
  let present = await open();
  const propertiesNow = (): Record<string, string> => ({
    'adaptor.uuid': adaptorUuid,
    'client.id': adaptorUuid,
    'client.secret': 'any',
    'message.bus.url': `tcp://127.0.0.1:${present.broker.port}`,
    hostname: '127.0.0.1',
    port: '0',
    'data.directory': directory,
  });

  return {
    adaptorUuid,
    memory,
    directory,
    get server() {
      return present.server;
    },
    get properties() {
      return propertiesNow();
    },
    start: async (handlers, given = {}) => {
      const properties = { ...propertiesNow(), ...given };
      const adaptor = await startAdaptor({ handlers, log: silent, properties });
      adaptors.push(adaptor);
      return adaptor;
    },
    restartServer: async () => {
      const { port } = present.broker;
      await close(present);
      present = await open(port);
    },
    change: (n, given = {}) => ({
      action: 'PUT',
      drUuid: randomUUID(),
      domain: 'customer',
      version: 1,
      domainVersionUuid: randomUUID(),
      sourceAdaptorUuid: null,
      destinationAdaptorUuid: adaptorUuid,
      transactionUuid: randomUUID(),
      createTime: Date.now(),
      drKey: `[${n}]`,
      jsonData: JSON.stringify({ n }),
      messageGroup: `group-${n}`,
      ...given,
    }),
    close: async () => {
      await Promise.all(adaptors.map((adaptor) => adaptor.stop()));
      await close(present);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
