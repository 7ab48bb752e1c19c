import { type Random } from '@fds/testing';
import { openWireProxy } from '../../faults/wire/open-wire-proxy.js';
import { type AdaptorProcess, startAdaptorProcess } from '../../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, rootZone } from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { type Service, startService } from '../../harness/service.js';
import type { Contact, ContactDatabase } from './contact-database.js';
import { contactMetadata, contactModel } from './contact-metadata.js';
import { watchWires, type WireNotes } from './watch-wires.js';

interface Exchanging {
  readonly database: ContactDatabase;
  readonly process: AdaptorProcess;
}

/** A service, databases with the table `contact`, their adaptors, and the wires between. */
export interface ContactStage {
  readonly service: Service;
  readonly exchanging: readonly Exchanging[];
  readonly wires: WireNotes;
}

const domain = 'contact';

/** A data steward of the service, who signs in again: the key of an earlier token may no longer exist. */
export const stewardOf = (service: Service): Promise<Client> =>
  signIn({ ...service, username: 'dgs', password: service.passwords.dgs });

interface ContactStageOptions {
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly random: Random;
  /** They are opened one after another, after the service has started. */
  readonly open: readonly (() => Promise<ContactDatabase>)[];
}

export const openContactStage = async (
  leftovers: Leftovers,
  { domainType, random, open }: ContactStageOptions,
): Promise<ContactStage> => {
  const service = await startService(leftovers, { FDS_LOG_LEVEL: 'warn' });
  const client = await stewardOf(service);
  const zone = await rootZone(client);
  await createVersion(client, { name: domain, domainType, properties: contactModel, drKeyProperties: ['id'] });
  const wires = watchWires();
  const exchanging: Exchanging[] = [];
  for (const [index, openDatabase] of open.entries()) {
    const database = await openDatabase();
    const wire = await openWireProxy(leftovers, {
      brokerUrl: service.busUrl,
      onFrame: (frame) => wires.see(index, frame),
    });
    const adaptor = await createAdaptor(client, zone, {
      name: `${index} ${database.kind} ${database.scanMethod}`,
      capabilities: allActions(domain),
      metadata: contactMetadata(database, { scanIntervalMilliseconds: 50 + random.below(350) }),
    });
    const concurrency = String(random.pick([1, 4]));
    const process = await startAdaptorProcess(leftovers, { ...service, busUrl: wire.url }, adaptor, {
      script: 'adaptors/database/dist/main.js',
      environment: () => ({ CONCURRENCY: concurrency, LOG_LEVEL: 'WARN' }),
    });
    await process.untilUp();
    exchanging.push({ database, process });
  }
  return { service, exchanging, wires };
};

type Rows = ReadonlyMap<number, Contact>;

/** The rows of each database, by key. */
export const readAll = ({ exchanging }: ContactStage): Promise<readonly Rows[]> =>
  Promise.all(exchanging.map(({ database }) => database.contacts()));

/** Keys of rows that are not equal in all databases. */
export const differingRecords = (all: readonly Rows[]): readonly number[] =>
  [...new Set(all.flatMap((rows) => [...rows.keys()]))].filter(
    (id) => new Set(all.map((rows) => JSON.stringify(rows.get(id) ?? null))).size > 1,
  );
