import type { Collection } from 'mongodb';
import type { KnownRow } from '../source/row-base.js';
import { unreported, type TableState } from './adaptor-state.js';
import { keyHash } from './key-hash.js';
import type { RemoteStore } from './remote-store.js';

interface ScanDocument {
  readonly _id: string;
  readonly scannedUntil?: string;
  readonly slot?: string | null;
  readonly source?: string;
}

interface RowDocument {
  readonly _id: string;
  readonly table: string;
  readonly key: string;
  readonly digest: string;
  readonly drUuid?: string;
  readonly record: string;
}

/** A MongoDB server and a database on it. */
export interface MongodbAddress {
  readonly connectionString: string;

  readonly databaseName: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** Maximum time to find a server before a statement fails. */
const selectionTimeoutMs = 10_000;

const toKnownRow = ({ key, digest, drUuid, record }: RowDocument): KnownRow => ({
  keyText: key,
  digest,
  drUuid: drUuid ?? null,
  record,
});

/**
 * Keeps the state in a MongoDB database, which several adaptors can share. Connects on first use. The driver is loaded
 * here, so that adaptors with another store do not need it.
 */
export const openMongodbStore = async (address: MongodbAddress, adaptorUuid: string): Promise<RemoteStore> => {
  const { MongoClient } = await import('mongodb');
  const { connectionString, databaseName, user, password } = address;
  const client = new MongoClient(connectionString, {
    appName: 'fds-database-adaptor',
    ...(connectionString.includes('serverSelectionTimeoutMS') ? {} : { serverSelectionTimeoutMS: selectionTimeoutMs }),
    socketTimeoutMS: 60_000,
    // so that a write survives a crash of the server
    writeConcern: { w: 'majority', journal: true },
    ...(user === undefined ? {} : { auth: { username: user, password: password ?? '' } }),
  });
  const database = client.db(databaseName);
  const scans: Collection<ScanDocument> = database.collection('fds_adaptor_scan');
  const rows: Collection<RowDocument> = database.collection('fds_adaptor_row');

  const table = (domain: string, version: number): TableState => {
    const owner = `${adaptorUuid}/${domain}:${version}`;
    const idOf = (keyText: string): string => keyHash(`${owner}\n${keyText}`);
    const scan = async (): Promise<ScanDocument | null> => scans.findOne({ _id: owner });
    const setScan = async (change: Partial<ScanDocument>): Promise<void> => {
      await scans.updateOne({ _id: owner }, { $set: change }, { upsert: true });
    };
    const rememberRows = async (known: readonly KnownRow[]): Promise<void> => {
      if (known.length === 0) return;
      await rows.bulkWrite(
        known.map(({ keyText, digest, drUuid, record }) => ({
          updateOne: {
            filter: { _id: idOf(keyText) },
            update: { $set: { table: owner, key: keyText, digest, record, ...(drUuid === null ? {} : { drUuid }) } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    };
    return {
      scannedUntil: async () => {
        const until = (await scan())?.scannedUntil;
        return until === undefined ? undefined : BigInt(until);
      },
      rememberScan: (until) => setScan({ scannedUntil: String(until) }),
      scannedLog: async () => (await scan())?.slot ?? undefined,
      rememberLog: (slot) => setScan({ slot: slot ?? null }),
      knownSource: async () => (await scan())?.source,
      rememberSource: (source) => setScan({ source }),
      knownRows: async (keyTexts) => {
        if (keyTexts.length === 0) return new Map();
        const found = await rows.find({ _id: { $in: keyTexts.map(idOf) } }).toArray();
        return new Map(found.map((row) => [row.key, toKnownRow(row)]));
      },
      byRecords: async (drUuids) => {
        const found = await rows.find({ table: owner, drUuid: { $in: [...drUuids] } }).toArray();
        return new Map(found.map((row) => [row.drUuid ?? '', toKnownRow(row)]));
      },
      keysAfter: async (keyText, limit) => {
        const after = keyText === undefined ? {} : { _id: { $gt: idOf(keyText) } };
        const found = await rows
          .find({ table: owner, ...after })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray();
        return found.map(({ key }) => key);
      },
      rememberRows,
      announceRows: (known) => rememberRows(known.map((row) => ({ ...row, digest: unreported }))),
      confirmRows: rememberRows,
      forget: async (keyTexts) => {
        if (keyTexts.length > 0) await rows.deleteMany({ _id: { $in: keyTexts.map(idOf) } });
      },
    };
  };

  return {
    table,
    ping: async () => void (await database.command({ ping: 1 })),
    prepare: async () => {
      await rows.createIndex({ table: 1, _id: 1 }, { name: 'fds_adaptor_row_keys' });
      await rows.createIndex({ table: 1, drUuid: 1 }, { name: 'fds_adaptor_row_record' });
    },
    close: () => client.close(),
  };
};
