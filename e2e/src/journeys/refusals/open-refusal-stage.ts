import { eventually, mariadbMissing } from '@fds/testing';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { type AdaptorProcess, startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import {
  allActions,
  createAdaptor,
  type CreatedAdaptor,
  createVersion,
  requireStatus,
  rootZone,
} from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { startService } from '../../harness/service.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { mariadbRefusals, plainMariadb } from './mariadb-refusals.js';
import { plainPostgresql, postgresqlRefusals } from './postgresql-refusals.js';
import { type Form, refusedEvents, type RefusalsOf } from './refusal-forms.js';
import { plainSqlite, sqliteRefusals } from './sqlite-refusals.js';
import {
  openWalkedMariadb,
  openWalkedPostgresql,
  openWalkedSqlite,
  type DatabaseName,
  type WalkedDatabase,
} from './walked-databases.js';

/** A database with its adaptor. */
export interface Walked {
  readonly database: WalkedDatabase;
  readonly refusals: RefusalsOf;
  readonly adaptor: CreatedAdaptor;
  readonly process: AdaptorProcess;
}

interface Issue {
  readonly uuid: string;
  readonly status: 'OPEN' | 'CLOSED';
  readonly title: string;
  readonly exception: string;
  readonly drUuid: string | null;
  readonly changeVersion: number;
}

/** A service, a source, and the databases that receive its records. */
export interface RefusalStage {
  readonly client: Client;
  readonly zone: string;
  readonly walked: ReadonlyMap<DatabaseName, Walked>;
  readonly source: RunningAdaptor;
  /** Records that the hub deleted at the source, as `<domain> <key>`. */
  readonly deletedAtSource: readonly string[];
  /** Uuid of a record. */
  record(form: Form, id: string): Promise<string>;
  /** Statuses of the deliveries of a record to an adaptor, newest first. */
  statuses(drUuid: string, adaptorUuid: string): Promise<readonly string[]>;
  issues(adaptorUuid: string, drUuid: string): Promise<readonly Issue[]>;
  retry(issue: Issue): Promise<void>;
}

const forms = Object.keys(refusedEvents) as Form[];
export const walkedDatabases: readonly DatabaseName[] =
  mariadbMissing === undefined ? ['PostgreSQL', 'MariaDB', 'SQLite'] : ['PostgreSQL', 'SQLite'];

const plain = { PostgreSQL: plainPostgresql, MariaDB: plainMariadb, SQLite: plainSqlite } as const;

/** The forms of refusal of a database. */
const refusalsOf = ({ name, account, small }: WalkedDatabase): RefusalsOf =>
  name === 'PostgreSQL'
    ? postgresqlRefusals(account, small)
    : name === 'MariaDB'
      ? mariadbRefusals(account)
      : sqliteRefusals;

const open = async (leftovers: Leftovers, name: DatabaseName): Promise<WalkedDatabase> => {
  if (name === 'PostgreSQL') return openWalkedPostgresql(leftovers);
  return name === 'MariaDB' ? openWalkedMariadb(leftovers) : openWalkedSqlite(leftovers);
};

const metadataOf = (database: WalkedDatabase, refusals: RefusalsOf) => ({
  databases: { source: { type: 'JDBC', properties: database.properties } },
  tables: Object.keys(refusals).map((form) => ({
    domain: form,
    version: 1,
    dataSource: {
      name: 'source',
      ...(database.schema === undefined ? {} : { schema: database.schema }),
      tableName: form,
    },
    primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING', required: true } }],
    timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', overlapMilliseconds: 1000 },
    dataColumns: {
      id: { source: 'id', columnType: 'STRING', updatable: false },
      v: { source: 'v', columnType: 'STRING' },
      n: { source: 'n', columnType: 'LONG' },
    },
    scanOptions: { scanIntervalMilliseconds: 3_000, enableDeletionScan: true },
  })),
});

const createTables = async (database: WalkedDatabase, refusals: RefusalsOf): Promise<void> => {
  const tables = Object.entries(refusals);
  for (const [form, { table }] of tables) await database.run(...(table ?? [plain[database.name](form)]));
  if (database.account === '') return;
  const on = database.name === 'MariaDB' ? 'walk.' : '';
  await database.run(
    ...tables.map(([form]) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${on}${form} TO ${database.account}`),
  );
};

export const openRefusalStage = async (leftovers: Leftovers): Promise<RefusalStage> => {
  const service = await startService(leftovers);
  const client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  const zone = await rootZone(client);
  const properties = { id: { type: 'string' }, v: { type: 'string' }, n: { type: 'integer' } };
  await Promise.all(
    forms.map((name) => createVersion(client, { name, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] })),
  );
  const walked = new Map<DatabaseName, Walked>();
  for (const name of walkedDatabases) {
    const database = await open(leftovers, name);
    const refusals = refusalsOf(database);
    await createTables(database, refusals);
    const adaptor = await createAdaptor(client, zone, {
      name,
      capabilities: Object.keys(refusals).flatMap((form) => allActions(form)),
      metadata: metadataOf(database, refusals),
    });
    const process = await startDatabaseAdaptor(leftovers, service, adaptor);
    walked.set(name, { database, refusals, adaptor, process });
  }
  const created = await createAdaptor(client, zone, {
    name: 'Source',
    capabilities: forms.flatMap((form) => allActions(form)),
  });
  const deletedAtSource: string[] = [];
  const source = await startSourceAdaptor(leftovers, service, created, {
    apply: ({ action, domain, drKey }) => void (action === 'DELETE' && deletedAtSource.push(`${domain} ${drKey}`)),
  });

  interface Listed {
    readonly drs: readonly { readonly uuid: string; readonly drKey: { readonly id: string } }[];
  }
  interface History {
    readonly dataEvents: readonly {
      readonly destinations: readonly { readonly adaptorUuid: string; readonly status: string }[];
    }[];
  }
  return {
    client,
    zone,
    walked,
    source,
    deletedAtSource,
    record: (form, id) =>
      eventually(async () => {
        const { body } = requireStatus(await client.rest<Listed>('GET', `/drs?filters=name:${form}&size=200`), 200);
        const found = body.drs.find(({ drKey }) => drKey.id === id);
        if (found === undefined) throw new Error(`there is no record ${id} of ${form}`);
        return found.uuid;
      }),
    statuses: async (drUuid, adaptorUuid) => {
      const { body } = requireStatus(await client.rest<History>('GET', `/drs/${drUuid}/data-events?size=200`), 200);
      return body.dataEvents.flatMap(({ destinations }) =>
        destinations.filter((one) => one.adaptorUuid === adaptorUuid).map(({ status }) => status),
      );
    },
    issues: async (adaptorUuid, drUuid) =>
      requireStatus(
        await client.rest<{ issues: readonly Issue[] }>(
          'GET',
          `/zones/${zone}/adaptors/${adaptorUuid}/issues?filters=dr-uuid:${drUuid}`,
        ),
        200,
      ).body.issues,
    retry: async ({ uuid, changeVersion }) => {
      const path = `/zones/${zone}/issues/${uuid}`;
      requireStatus(await client.rest('PATCH', path, { status: 'CLOSED', retry: true, changeVersion }), 200);
    },
  };
};
