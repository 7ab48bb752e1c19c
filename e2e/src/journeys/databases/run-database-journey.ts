import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, eventually } from '@fds/testing';
import { type AdaptorProcess, startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, rootZone } from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { publishedBy } from '../../harness/published-by.js';
import { type Service, startService } from '../../harness/service.js';
import type { ChinookDatabase, DatabaseKind } from './chinook-database.js';
import { type ChinookTable, chinookTables, drKeyOf, keyOf, metadataOf, modelOf } from './chinook-tables.js';
import type { Row } from './comparable-row.js';
import { createEditLedger, type EditLedger } from './edit-ledger.js';
import { createEditor } from './create-editor.js';
import { openMariadb, openPostgresql, openSqlite } from './open-databases.js';

type Victim = DatabaseKind | 'SERVICE';

export interface DatabaseJourney {
  /** Number of edits in all databases together. */
  readonly edits: number;
  /** Number of kills with SIGKILL during the edits. */
  readonly kills: number;
  /** Processes that are killed in turn. */
  readonly victims: readonly Victim[];
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface DatabaseJourneyResult {
  readonly edits: number;
  readonly kills: Readonly<Record<Victim, number>>;
  /** Number of rows of each database at the end. */
  readonly rows: number;
  /** Number of events of each adaptor after all databases were equal, for two more edits in each. */
  readonly lastEvents: Readonly<Record<DatabaseKind, number>>;
  readonly firstSeconds: number;
  readonly seconds: number;
}

/** Databases with an adaptor that exchanges all the tables. */
interface ExchangingDatabase {
  readonly database: ChinookDatabase;
  readonly adaptorUuid: string;
  readonly process: AdaptorProcess;
}

export interface DatabaseStage {
  readonly service: Service;
  readonly client: Client;
  readonly zone: string;
  readonly databases: readonly ExchangingDatabase[];
}

/** A service, and Chinook in three databases; two of them are empty. */
export const openDatabaseStage = async (leftovers: Leftovers): Promise<DatabaseStage> => {
  const [postgresql, mariadb] = await Promise.all([openPostgresql(leftovers), openMariadb(leftovers)]);
  const opened = [openSqlite(leftovers), postgresql, mariadb];
  const service = await startService(leftovers);
  const client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  const zone = await rootZone(client);
  for (const table of chinookTables) {
    await createVersion(client, {
      name: table.domain,
      domainType: 'FEDERATED',
      properties: modelOf(table),
      drKeyProperties: drKeyOf(table),
    });
  }
  const exchange = async (database: ChinookDatabase): Promise<ExchangingDatabase> => {
    const adaptor = await createAdaptor(client, zone, {
      name: `Store (${database.kind})`,
      capabilities: chinookTables.flatMap(({ domain }) => allActions(domain)),
      metadata: metadataOf(database.entry),
    });
    const process = await startDatabaseAdaptor(leftovers, service, adaptor);
    return { database, adaptorUuid: adaptor.uuid, process };
  };
  return { service, client, zone, databases: await Promise.all(opened.map(exchange)) };
};

const rowsOf = (databases: readonly ExchangingDatabase[], table: ChinookTable): Promise<readonly (readonly Row[])[]> =>
  Promise.all(databases.map(({ database }) => database.rows(table)));

/** Resolves when the adaptors of databases with LOG read every table from the log. */
const untilLogsAreRead = (databases: readonly ExchangingDatabase[]): Promise<void> =>
  eventually(async () => {
    for (const { database } of databases) {
      const [read, tables] = [await database.tablesReadFromLog(), chinookTables.length];
      if (database.entry.scanMethod === 'LOG' && read !== tables)
        throw new Error(`${database.kind}: ${read} of ${tables} tables are read from the log`);
    }
  });

/** Differences between the databases, and between the rows and the required values. */
const differences = async (
  databases: readonly ExchangingDatabase[],
  ledger: EditLedger,
): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const table of chinookTables) {
    const [first = [], ...others] = await rowsOf(databases, table);
    const texts = new Map(first.map((row) => [row[keyOf(table).name], JSON.stringify(row)]));
    for (const [index, rows] of others.entries()) {
      const kind = databases[index + 1]?.database.kind;
      if (rows.length !== first.length) found.push(`${table.table}: ${first.length} rows, ${rows.length} in ${kind}`);
      for (const row of rows) {
        const key = row[keyOf(table).name];
        const text = JSON.stringify(row);
        if (texts.get(key) !== text) found.push(`${table.table}: ${texts.get(key)}, in ${kind} ${text}`);
      }
    }
    found.push(...ledger.faults(table, first));
  }
  return found;
};

/**
 * Copies Chinook from SQLite to two empty databases. Then edits all three at the same time while adaptors and the
 * service are killed. Resolves when the three are equal, contain every change, and only further edits cause events.
 *
 * @throws Error when they do not become equal, or a change is lost
 */
export const runDatabaseJourney = async (
  stage: DatabaseStage,
  { edits, kills: rounds, victims, seed, deadlineMs }: DatabaseJourney,
): Promise<DatabaseJourneyResult> => {
  const { service, client, zone, databases } = stage;
  const random = createRandom(seed);
  const ledger = createEditLedger();
  const startedMs = performance.now();
  const secondsSoFar = (): number => (performance.now() - startedMs) / 1000;
  const untilEqual = (): Promise<void> =>
    eventually(
      async () => {
        const found = await differences(databases, ledger);
        if (found.length > 0)
          throw new Error(`${found.length} differences, such as\n${found.slice(0, 5).join('\n')}\nseed ${seed}`);
      },
      { deadlineMs, intervalMs: 300 },
    );

  await untilEqual();
  const firstSeconds = secondsSoFar();
  const keys = new Map<ChinookTable, readonly number[]>();
  for (const table of chinookTables) {
    const [rows = []] = await rowsOf(databases, table);
    keys.set(
      table,
      rows.map((row) => Number(row[keyOf(table).name])),
    );
  }
  const editors = databases.map(({ database }, index) =>
    createEditor({ database, index, editors: databases.length, keys, random: createRandom(seed + index), ledger }),
  );
  const editEverywhere = async (count: number): Promise<void> => {
    const pause = createRandom(seed + count);
    await Promise.all(
      editors.map(async (editor) => {
        for (let made = 0; made < count / editors.length; made += 1) {
          await editor.edit();
          await sleep(pause.below(20));
        }
      }),
    );
  };

  const kills: Record<Victim, number> = { SQLITE: 0, POSTGRESQL: 0, MARIADB: 0, SERVICE: 0 };
  const kill = async (victim: Victim): Promise<void> => {
    kills[victim] += 1;
    if (victim === 'SERVICE') {
      await service.kill();
      await service.start();
      return;
    }
    const process = databases.find(({ database }) => database.kind === victim)?.process;
    await process?.kill();
    process?.start();
  };
  for (let round = 0; round < rounds; round += 1) {
    const editing = editEverywhere(edits / rounds);
    await Promise.all([
      editing,
      sleep(random.below(1_000)).then(() => kill(victims[round % victims.length] ?? 'SERVICE')),
    ]);
  }
  await untilEqual();

  /**
   * Edits one more row in each database and waits until the others have the edit. Earlier messages reach the service
   * before it.
   */
  const editOnceMore = async (): Promise<void> => {
    await Promise.all(editors.map((editor) => editor.update()));
    await untilEqual();
  };
  const published = (): Promise<readonly number[]> =>
    eventually(() => Promise.all(databases.map(({ adaptorUuid }) => publishedBy(client, zone, adaptorUuid))), {
      deadlineMs,
    });
  await Promise.all(databases.map(({ process }) => process.untilUp()));
  await untilLogsAreRead(databases);
  await editOnceMore();
  const before = await published();
  await editOnceMore();
  await editOnceMore();
  const after = await published();
  const lastEvents = { SQLITE: 0, POSTGRESQL: 0, MARIADB: 0 };
  for (const [index, { database }] of databases.entries())
    lastEvents[database.kind] = (after[index] ?? NaN) - (before[index] ?? NaN);
  const counts = await Promise.all(
    chinookTables.map(async (table) => (await databases[0]?.database.rows(table))?.length ?? 0),
  );
  return {
    edits: ledger.edits,
    kills,
    rows: counts.reduce((total, count) => total + count, 0),
    lastEvents,
    firstSeconds,
    seconds: secondsSoFar(),
  };
};
