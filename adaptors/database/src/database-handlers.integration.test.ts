import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AdaptorError, DiscoveredReport } from '@fds/adaptor-protocol';
import type { Adaptor, AdaptorHandlers, OutgoingEvent, SourceFault } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import Database from 'libsql';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabaseHandlers } from './database-handlers.js';
import { openFileStore } from './state/open-file-store.js';
import { incomingEvent } from './testing/incoming-event.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const domainVersionUuid = randomUUID();

const event = incomingEvent('b', { domain: 'person', domainVersionUuid, action: 'POST', json: { email: 'b' } });

describe('the handlers of a database adaptor', () => {
  let folder: string;
  let source: Database.Database;
  let published: OutgoingEvent[];
  let reported: AdaptorError[];
  let sources: Map<string, SourceFault>;
  let warned: string[];
  let discovers: boolean;
  let discovered: DiscoveredReport[];
  let end: (() => Promise<void>) | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fds-handlers-'));
    source = new Database(join(folder, 'source.sqlite'));
    warned = [];
    source.exec(`CREATE TABLE person (mail TEXT PRIMARY KEY, changed TEXT NOT NULL DEFAULT '2026-01-01 00:00:00');
      INSERT INTO person (mail) VALUES ('a')`);
    published = [];
    reported = [];
    sources = new Map();
    discovers = false;
    discovered = [];
  });
  afterEach(async () => {
    await end?.();
    end = undefined;
    source.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Handlers with a table of one row, configured and playing. */
  const play = async (metadata: object = {}, scanOptions: object = {}): Promise<AdaptorHandlers> => {
    const state = openFileStore(join(folder, 'state.sqlite'));
    const adaptor = {
      adaptorUuid: randomUUID(),
      properties: { concurrency: 1 } as Adaptor['properties'],
      log: { ...silent, warn: (_, message) => void warned.push(message ?? '') },
      applied: { epoch: null, sequence: 0 },
      isDiscovering: () => discovers,
      reportDiscovered: async (report: DiscoveredReport) => void discovered.push(report),
      publish: async (one: OutgoingEvent) => void published.push(one),
      reportError: async (error: AdaptorError) => void reported.push(error),
      reportSource: (fault: SourceFault) => void sources.set(fault.source, fault),
      clearSource: (source: string) => void sources.delete(source),
      caughtUp: () => undefined,
    } as Partial<Adaptor> as Adaptor;
    const handlers = createDatabaseHandlers(adaptor, state);
    end = async () => {
      await handlers.stop?.();
      await state.close();
    };
    await handlers.configure?.({
      metadata: {
        databases: { main: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${join(folder, 'source.sqlite')}` } } },
        tables: [
          {
            domain: 'person',
            version: 1,
            primaryKeySpecs: [{ type: 'DOMAIN', mail: { columnType: 'STRING' } }],
            timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
            dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
            dataSource: { name: 'main', tableName: 'person' },
            scanOptions: { scanIntervalMilliseconds: 10, ...scanOptions },
          },
        ],
        ...metadata,
      },
      capabilities: [{ domainName: 'person', versionNumber: 1, action: 'PUT' }],
      domainVersions: [
        {
          domain: 'person',
          version: 1,
          domainVersionUuid,
          drKeyProperties: ['email'],
          modelSchema: { properties: { email: { type: 'string' } } },
        },
      ],
      discoveryMode: false,
    });
    await handlers.play?.();
    return handlers;
  };
  const told = () => published.map(({ json }) => json?.['email']);
  const mails = () => source.prepare('SELECT mail FROM person ORDER BY mail').pluck().all();
  const assemble = async (handlers: AdaptorHandlers) =>
    handlers.assemble?.(
      {
        requestUuid: randomUUID(),
        domain: 'person',
        version: 1,
        domainVersionUuid,
        requestedProperties: null,
        timeoutMilliseconds: 1000,
        records: null,
      },
      new AbortController().signal,
    );

  it('report, apply and answer by default', async () => {
    const handlers = await play();
    await eventually(() => expect(told()).toEqual(['a']));
    await handlers.apply?.(event);
    expect(mails()).toEqual(['a', 'b']);
    expect(await assemble(handlers)).toMatchObject({ totalElements: 2 });
    expect(reported).toEqual([]);
  });

  it('report the discovery after the first complete scan, and without a scan at once', async () => {
    discovers = true;
    source.exec(`INSERT INTO person (mail) VALUES ('b'), ('c')`);
    await play();
    await eventually(() => expect(discovered[0]).toEqual({ domain: 'person', version: 1, records: 3 }));
    expect(told()).toEqual(['a', 'b', 'c']);
    await end?.();
    discovered = [];
    await play({}, { enableModificationScan: false });
    await eventually(() => expect(discovered).toEqual([{ domain: 'person', version: 1, records: 0 }]));
  });

  it('warn about a key column with a coarser equality', async () => {
    source.exec('DROP TABLE person');
    source.exec('CREATE TABLE person (mail TEXT COLLATE NOCASE PRIMARY KEY, changed TEXT)');
    await play();
    expect(warned).toEqual([
      expect.stringContaining(
        '/tables/0/primaryKeySpecs/0/mail: the key column "mail" of person is TEXT, collation NOCASE',
      ),
    ]);
  });

  it('show a source that is away in the state until it is back', async () => {
    const handlers = await play();
    await eventually(() => expect(told()).toEqual(['a']));
    renameSync(join(folder, 'source.sqlite'), join(folder, 'away'));
    await eventually(() => expect(sources.get('person:1')).toMatchObject({ state: 'ERROR' }));
    expect(sources.get('person:1')?.reason).toContain('source.sqlite');
    expect(handlers.health?.()).toEqual({ 'person:1': 'DOWN' });
    renameSync(join(folder, 'away'), join(folder, 'source.sqlite'));
    await eventually(() => expect(sources.size).toBe(0));
    expect(handlers.health?.()).toEqual({ 'person:1': 'UP' });
  });

  it('refuse assembly requests with writeOnly, but still report and apply', async () => {
    const handlers = await play({ writeOnly: true });
    await eventually(() => expect(told()).toEqual(['a']));
    await handlers.apply?.(event);
    expect(mails()).toEqual(['a', 'b']);
    await expect(assemble(handlers)).rejects.toThrow('the adaptor is write-only');
  });

  it('refuse incoming events as a configuration fault when enableIncoming is false, but still report', async () => {
    const handlers = await play({}, { enableIncoming: false });
    await eventually(() => expect(told()).toEqual(['a']));
    await expect(Promise.resolve(handlers.apply?.(event))).rejects.toMatchObject({
      name: 'ApplyError',
      kind: 'CONFIGURATION',
      retry: 'NEVER',
    });
    expect(mails()).toEqual(['a']);
  });

  it('report nothing when enableProcessor is false, but still apply', async () => {
    const handlers = await play({}, { enableProcessor: false });
    await handlers.apply?.(event);
    expect(mails()).toEqual(['a', 'b']);
    // waits for a scan that has begun
    await handlers.pause?.();
    expect(published).toEqual([]);
  });
});
