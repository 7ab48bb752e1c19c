import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createBusAdaptor, type BusAdaptor } from './bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from './seed-catalog.js';
import { startRecords, type StartedRecords } from './start-records.js';

/** A server on an empty database, and a zone for its adaptors. */
export interface RecordsWorld {
  readonly database: TestDatabase;
  readonly seed: CatalogSeed;
  readonly server: StartedRecords;
  readonly zoneUuid: string;
  /** Adds an adaptor of the zone for version 1 of the domain, and connects it. @param actions default: all */
  connect(name: string, domain: string, actions?: readonly string[]): Promise<BusAdaptor>;
  close(): Promise<void>;
}

/** @param options of the server */
export const openRecordsWorld = async (options?: Parameters<typeof startRecords>[1]): Promise<RecordsWorld> => {
  const database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  const server = await startRecords(database, options);
  return {
    database,
    seed,
    server,
    zoneUuid,
    connect: async (name, domain, actions) => {
      const uuid = await seed.addAdaptor({
        name,
        zoneUuid,
        domains: [domain],
        ...(actions === undefined ? {} : { actions }),
      });
      const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
      await adaptor.connect();
      return adaptor;
    },
    close: async () => {
      await server.close();
      await database.drop();
    },
  };
};
