#!/usr/bin/env node
// Stand-in for Prisma's downloadable `schema-engine` binary (binaries.prisma.sh): same command line and
// JSON-RPC-over-stdio surface, implemented with @prisma/schema-engine-wasm + @prisma/adapter-pg, both from npm.
// Used through PRISMA_SCHEMA_ENGINE_BINARY. PostgreSQL only.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { parse } from 'pg-connection-string';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';

const wasmDir = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
const { values: opt, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    datamodels: { type: 'string', short: 'd', multiple: true },
    datasource: { type: 'string' },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
    version: { type: 'boolean', short: 'V' },
  },
});

if (opt.version) {
  console.log(`schema-engine-wasm ${JSON.parse(readFileSync(join(wasmDir, 'package.json'), 'utf8')).version}`);
  process.exit(0);
}

const url = (opt.datasource ? JSON.parse(opt.datasource) : {}).url ?? 'postgresql://127.0.0.1:1/none';
const logLine = (level, message, error_code = null) =>
  process.stderr.write(
    JSON.stringify({ level, target: 'schema_engine::logger', fields: { message, error_code } }) + '\n',
  );
const quote = (id) => `"${id.replaceAll('"', '""')}"`;

// Discrete fields rather than `connectionString`: pg lets the latter win over `database`.
const parsed = parse(url);
const poolConfig = {
  host: parsed.host ?? undefined,
  port: parsed.port ? Number(parsed.port) : undefined,
  user: parsed.user,
  password: parsed.password,
  database: parsed.database ?? undefined,
  ...(parsed.ssl === undefined ? {} : { ssl: parsed.ssl }),
};

if (positionals[0] === 'cli') {
  // Output contract: first stderr line skipped, following lines parsed as JSON.
  const run = async (config, sql) => {
    const client = new pg.Client(config);
    await client.connect();
    try {
      if (sql) await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const admin = { ...poolConfig, database: 'postgres' };
  const actions = {
    'can-connect-to-database': () => run(poolConfig),
    'create-database': () => run(admin, `CREATE DATABASE ${quote(poolConfig.database)}`),
    'drop-database': () => run(admin, `DROP DATABASE IF EXISTS ${quote(poolConfig.database)}`),
  };
  try {
    await actions[positionals[1]]();
    process.exit(0);
  } catch (e) {
    process.stderr.write('schema-engine\n');
    logLine(
      'ERROR',
      e.message || String(e),
      { '3D000': 'P1003', ECONNREFUSED: 'P1001', ENOTFOUND: 'P1001', '28P01': 'P1000' }[e.code] ?? null,
    );
    process.exit(1);
  }
}

class MigrationPg extends PrismaPg {
  #fix(adapter) {
    // 1. catalog type "char" (oid 18) is unknown to adapter-pg, and the engine wants it as a character: read it as
    //    bpchar, then name its type (PostgreSQL 18 lists NOT NULL constraints, whose kind is such a character)
    let proto = adapter;
    while (!Object.hasOwn(proto, 'performIO')) proto = Object.getPrototypeOf(proto);
    if (!proto.performIO.fixed) {
      const charColumns = new WeakMap();
      const { performIO, queryRaw } = proto;
      proto.performIO = async function (query) {
        const result = await performIO.call(this, query);
        const columns = [];
        result?.fields?.forEach((field, index) => {
          if (field.dataTypeID !== 18) return;
          field.dataTypeID = 1042;
          columns.push(index);
        });
        charColumns.set(query, columns);
        return result;
      };
      proto.performIO.fixed = true;
      proto.queryRaw = async function (query) {
        const result = await queryRaw.call(this, query);
        for (const index of charColumns.get(query) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character;
        return result;
      };
    }
    // 2. adapter-pg splits scripts on every ';' (breaks $$ bodies and string literals): send the whole script
    //    as one simple query, which PostgreSQL runs as one implicit transaction like the native engine does
    adapter.executeScript = async (script) => {
      try {
        await adapter.underlyingDriver().query(script);
      } catch (e) {
        adapter.onError(e);
      }
    };
    return adapter;
  }
  async connect() {
    return this.#fix(await super.connect());
  }
  // 3. drop the shadow database only after its pool is closed
  async connectToShadowDb() {
    const admin = await this.connect();
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    await admin.executeScript(`CREATE DATABASE ${quote(database)}`);
    const shadow = await new MigrationPg({ ...this.config, database }, this.options).connect();
    const release = shadow.release;
    shadow.release = async () => {
      await release?.();
      await admin.executeScript(`DROP DATABASE IF EXISTS ${quote(database)} WITH (FORCE)`);
      await admin.dispose();
    };
    return shadow;
  }
}

let panicMessage;
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  get: () => panicMessage,
  set_message: (m) => {
    panicMessage = m;
  },
};
const dieOfPanic = (e) => {
  logLine('ERROR', panicMessage ?? e?.stack ?? String(e));
  process.exit(101);
};
process.on('uncaughtException', dieOfPanic).on('unhandledRejection', dieOfPanic);

const bg = await import(pathToFileURL(join(wasmDir, 'schema_engine_bg.js')).href);
const { instance } = await WebAssembly.instantiate(readFileSync(join(wasmDir, 'schema_engine_bg.wasm')), {
  './schema_engine_bg.js': bg,
});
bg.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

const factory = new MigrationPg(poolConfig, { schema: new URL(url).searchParams.get('schema') ?? undefined });
// one engine per request: a second shadow-database request on the same WASM engine fails
const getEngine = () =>
  bg.SchemaEngine.new(
    { datamodels: opt.datamodels?.map((file) => [file, readFileSync(file, 'utf8')]) },
    (log) => process.env.DEBUG && logLine('INFO', String(log)),
    bindMigrationAwareSqlAdapterFactory(factory),
  );

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
const pendingScript = async ({ migrationsList, schema, filters }) =>
  (
    await (
      await getEngine()
    ).diff({
      from: { tag: 'migrations', ...migrationsList },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters,
    })
  ).stdout ?? '';
const statementsOf = (script) =>
  script
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((s) => s.trim())
    .filter(Boolean);
const handlers = {
  createDatabase: () => ({ databaseName: poolConfig.database }), // done by `cli create-database`
  // The WASM engine gives these two methods no shadow database; diff (which gets one) finds the same.
  createMigration: async (input) => {
    const script = await pendingScript(input);
    const empty = statementsOf(script).length === 0;
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const slug = input.migrationName
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '');
    return {
      connectorType: 'postgresql',
      extension: 'sql',
      generatedMigrationName: slug ? `${stamp}_${slug}` : stamp,
      migrationScript: empty ? (input.draft ? '-- This is an empty migration.' : null) : script,
    };
  },
  evaluateDataLoss: async (input) => {
    const statements = statementsOf(await pendingScript(input));
    const warnings = statements.flatMap((s, stepIndex) =>
      /\bDROP (TABLE|COLUMN)\b|\bSET DATA TYPE\b|\bDROP TYPE\b/.test(s)
        ? [{ message: `Possible data loss: ${s}`, stepIndex }]
        : [],
    );
    return { migrationSteps: statements.length, warnings, unexecutableSteps: [] };
  },
  getDatabaseVersion: async () => (await getEngine()).version(null),
};
const handle = async ({ id, method, params }) => {
  try {
    const result = handlers[method] ? await handlers[method](params) : await (await getEngine())[method](params ?? {});
    if (method === 'diff' && result?.stdout != null)
      send({ id: 1e6 + id, method: 'print', params: { content: result.stdout } });
    send({ id, result: result ?? null });
  } catch (e) {
    const message = panicMessage ?? e?.message ?? String(e);
    send({
      id,
      error: {
        code: 4466,
        message: 'An error happened. Check the data field for details.',
        data: { is_panic: panicMessage !== undefined, message, error_code: e?.code ?? null, meta: e?.meta ?? null },
      },
    });
  }
};
let queue = Promise.resolve();
createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on('line', (line) => {
    const request = JSON.parse(line);
    if (request.method) queue = queue.then(() => handle(request)); // anything else acknowledges a print
  })
  .on('close', () => queue.then(() => process.exit(0)));
