import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedBroker, openEmbeddedBroker } from '@fds/adaptor-broker';
import { startSubject, type Subject } from './conformance/start-subject.js';
import { startAdaptor } from './start-adaptor.js';
import { eventually } from './testing/eventually.js';
import { createServerMemory, createTestServer, type TestServer } from './testing/test-server.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** An adaptor whose source never answers, so that applying an event never ends. */
const hangingProgram = `
import { runAdaptor } from '${new URL('./index.js', import.meta.url).href}';
await runAdaptor({
  stopDeadlineMs: 1_500,
  handlers: { apply: () => new Promise(() => console.log('apply has begun')) },
});
`;

describe('a program whose handler never returns', () => {
  let adaptorUuid: string;
  let folder: string;
  let broker: EmbeddedBroker;
  let server: TestServer;
  let program: Subject;

  const properties = (directory: string): Record<string, string> => ({
    'adaptor.uuid': adaptorUuid,
    'client.id': adaptorUuid,
    'client.secret': 'any',
    'message.bus.url': `tcp://127.0.0.1:${broker.port}`,
    'auth.server.url': 'http://127.0.0.1:8080',
    hostname: '127.0.0.1',
    port: '0',
    'data.directory': join(folder, directory),
  });

  beforeEach(async () => {
    adaptorUuid = randomUUID();
    folder = mkdtempSync(join(tmpdir(), 'fds-run-adaptor-'));
    broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => 'ACCEPTED',
      log: silent,
    });
    server = createTestServer(broker.bus, adaptorUuid, createServerMemory());
    writeFileSync(join(folder, 'program.mjs'), hangingProgram);
    const lines = Object.entries(properties('earlier')).map(([name, value]) => `${name}=${value}`);
    writeFileSync(join(folder, 'adaptor.properties'), lines.join('\n'));
    program = startSubject(`${process.execPath} ${join(folder, 'program.mjs')}`, { HOSTNAME: '127.0.0.1' }, folder);
    await eventually(() => server.states.includes('STARTED'));
    server.send([
      {
        action: 'PUT',
        drUuid: randomUUID(),
        domain: 'customer',
        version: 1,
        domainVersionUuid: randomUUID(),
        sourceAdaptorUuid: null,
        destinationAdaptorUuid: adaptorUuid,
        transactionUuid: randomUUID(),
        createTime: 1,
        drKey: '[1]',
        jsonData: '{}',
        messageGroup: 'a',
      },
    ]);
    await eventually(() => program.output().includes('apply has begun'));
  });
  afterEach(async () => {
    await program.kill();
    server.close();
    await broker.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('exits with 1 when the server shuts it down', async () => {
    server.operate({ operation: 'SHUTDOWN', code: '1' });
    expect(await program.ended(10_000)).toBe(1);
  });

  it('exits with 1 when a signal stops it', async () => {
    expect(program.running).toBe(true);
    void program.stop(60_000);
    expect(await program.ended(10_000)).toBe(1);
  });

  it('exits with 4 when another process has taken over', async () => {
    const later = await startAdaptor({ handlers: {}, log: silent, properties: properties('later') });
    try {
      expect(await program.ended(10_000)).toBe(4);
    } finally {
      await later.stop();
    }
  });
});
