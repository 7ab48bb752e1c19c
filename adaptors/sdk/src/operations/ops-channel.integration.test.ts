import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openEmbeddedBroker } from '@fds/adaptor-broker';
import { parseMessage } from '@fds/adaptor-protocol';
import { buildReports } from '../journal/build-reports.js';
import { openJournal } from '../journal/open-journal.js';
import { readAdaptorProperties } from '../properties/adaptor-properties.js';
import { eventually } from '../testing/eventually.js';
import { createOpsChannel } from './ops-channel.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

it('sends a report that is added at the moment when the journal was found empty', async () => {
  const adaptorUuid = randomUUID();
  const directory = mkdtempSync(join(tmpdir(), 'fds-ops-channel-'));
  const broker = await openEmbeddedBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: async () => 'ACCEPTED',
    log: silent,
  });
  const heard: string[] = [];
  broker.bus.handle('ops', ({ payload }) => {
    const parsed = parseMessage('up/ops', payload);
    if (parsed.ok && 'message' in parsed.value.data) heard.push(String(parsed.value.data.message));
  });
  const journal = openJournal(directory, randomUUID);
  const add = (message: string): void =>
    journal.addReports(
      buildReports(adaptorUuid, [{ error: { level: 'ERROR', kind: 'DATA', message } }], {
        newUuid: randomUUID,
        now: () => new Date(),
      }),
    );
  let isFirst = true;
  const channel = createOpsChannel({
    properties: readAdaptorProperties({
      environment: {},
      file: {
        'adaptor.uuid': adaptorUuid,
        'client.id': adaptorUuid,
        'client.secret': 'any',
        'message.bus.url': `tcp://127.0.0.1:${broker.port}`,
        'auth.server.url': 'http://127.0.0.1:8080',
      },
    }),
    journal: {
      ...journal,
      reports: () => {
        const found = journal.reports();
        if (found.length === 0 && isFirst) {
          isFirst = false;
          queueMicrotask(() => {
            add('late');
            channel.sendReports();
          });
        }
        return found;
      },
    },
    instance: randomUUID(),
    onNotice: () => undefined,
    sdk: { name: 'test', version: '1' },
    onUp: () => undefined,
    onDown: () => undefined,
    onOperation: () => undefined,
    onAssembly: () => undefined,
    onRefused: () => undefined,
    onReportSent: () => undefined,
    onUnreachable: () => undefined,
    log: silent,
    newUuid: randomUUID,
  });
  try {
    add('early');
    channel.connect();
    await eventually(() => channel.connected);
    channel.sendReports();
    await eventually(() => heard.length === 2);
    expect(heard).toEqual(['early', 'late']);
  } finally {
    await channel.close();
    journal.close();
    await broker.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
