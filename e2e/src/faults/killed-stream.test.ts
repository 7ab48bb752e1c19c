import { afterEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { startAdaptorProcess, type AdaptorProcess } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, rootZone } from '../harness/catalogue.js';
import { signIn } from '../harness/client.js';
import { createLeftovers } from '../harness/leftovers.js';
import { randomNumbers } from '../harness/random-numbers.js';
import { startService } from '../harness/service.js';

const events = 10_000;
const records = 50;
const kills = 18;

interface LedgerRow {
  readonly id: string;
  readonly n: number;
}

const readLedger = ({ dataDirectory }: AdaptorProcess): LedgerRow[] => {
  const database = new Database(join(dataDirectory, 'stream.sqlite'), { readonly: true });
  try {
    return database.prepare('SELECT id, n FROM ledger ORDER BY position').all() as LedgerRow[];
  } finally {
    database.close();
  }
};

describe('a stream of events while server and adaptors are killed', () => {
  const leftovers = createLeftovers();
  afterEach(() => leftovers.dispose(), 60_000);

  it('loses nothing, doubles nothing and keeps the order of each record', async () => {
    const seed = Number(process.env['FDS_SEED'] ?? Date.now() % 1_000_000);
    const random = randomNumbers(seed);
    const service = await startService(leftovers);
    const dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    const zone = await rootZone(dgs);
    await createVersion(dgs, {
      name: 'counter',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const capabilities = allActions('counter');
    const destination = await startAdaptorProcess(
      leftovers,
      service,
      await createAdaptor(dgs, zone, { name: 'Destination', capabilities }),
      {
        script: 'e2e/dist/programs/stream-destination.js',
        environment: (folder) => ({ STREAM_DATABASE: join(folder, 'stream.sqlite') }),
      },
    );
    await destination.untilUp();
    const source = await startAdaptorProcess(
      leftovers,
      service,
      await createAdaptor(dgs, zone, { name: 'Source', capabilities }),
      {
        script: 'e2e/dist/programs/stream-source.js',
        environment: (folder) => ({
          STREAM_DATABASE: join(folder, 'stream.sqlite'),
          STREAM_EVENTS: String(events),
          STREAM_RECORDS: String(records),
        }),
      },
    );

    const victims = [service, destination, source];
    for (let kill = 0; kill < kills; kill += 1) {
      // in the middle of the stream: after some more events came through, or after a while without any
      const before = readLedger(destination).length;
      const wanted = Math.min(events, before + Math.floor(random() * (events / kills)));
      await eventually(() => expect(readLedger(destination).length).toBeGreaterThanOrEqual(wanted), {
        deadlineMs: 90_000,
        intervalMs: 20,
      });
      const victim = victims[kill % victims.length];
      await victim?.kill();
      await victim?.start();
    }

    await eventually(() => expect(readLedger(destination)).toHaveLength(events), {
      deadlineMs: 120_000,
      intervalMs: 200,
    }).catch((failure: unknown) => {
      throw new Error(
        `seed ${seed}: ${readLedger(destination).length} of ${events} events\n${service.process().output().slice(-3000)}`,
        { cause: failure },
      );
    });
    const byRecord = new Map<string, number[]>();
    for (const { id, n } of readLedger(destination)) byRecord.set(id, [...(byRecord.get(id) ?? []), n]);
    const inOrder = Array.from({ length: events / records }, (_, index) => index + 1);
    for (let record = 0; record < records; record += 1) expect(byRecord.get(`record-${record}`)).toEqual(inOrder);
  }, 400_000);
});
