import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLeftovers, type Leftovers } from '../../harness/leftovers.js';
import type { Figure } from '../figure.js';
import { discoveredVersion, discoveryMetadata, fillTable } from '../stage/discovered-table.js';
import { customerEvent, incomingEvent } from '../stage/incoming-events.js';
import { type BareAdaptor, openBareAdaptor } from '../stage/open-bare-adaptor.js';
import { openDiscovery } from '../stage/open-discovery.js';
import { startSourceDatabase } from '../stage/start-source-database.js';

const outgoingRows = 10_000;
const files = 500;
const incomingEvents = 500;

const fileScript = 'adaptors/file-system/dist/main.js';
const text = { type: 'string' };
const fileVersion = {
  domain: 'file',
  version: 1,
  domainVersionUuid: randomUUID(),
  drKeyProperties: ['adaptorUuid', 'sourceUri'],
  modelSchema: {
    properties: {
      adaptorUuid: text,
      sourceUri: text,
      intermediateUri: text,
      destinationUri: text,
      action: { type: 'string', enum: ['NEW', 'UPDATED', 'DELETED'] },
      contentLength: { type: 'integer' },
      additionalParameters: {
        type: 'array',
        items: { type: 'object', properties: { key: text, value: text }, required: ['key', 'value'] },
      },
    },
    required: ['adaptorUuid', 'sourceUri', 'action', 'contentLength'],
  },
};

const line = (what: string, events: number, milliseconds: number, adaptor: BareAdaptor): string =>
  `${what}: ${Math.round((events * 1000) / milliseconds)} events/s (${events} events), ${Math.round(adaptor.residentMib())} MiB`;

/** @returns the line of an adaptor that reports events; measured from START to the last event at the hub */
const measureOutgoing = async (what: string, events: number, opening: Promise<BareAdaptor>): Promise<string> => {
  const adaptor = await opening;
  try {
    const { atMs } = await adaptor.taken(events);
    return line(what, events, atMs - adaptor.startedMs, adaptor);
  } finally {
    await adaptor.close();
  }
};

/**
 * @returns the line of an adaptor that applies events; measured from the first event to the acknowledgement of the last
 * one
 */
const measureIncoming = async (
  what: string,
  opening: Promise<BareAdaptor>,
  countEffects?: () => Promise<number>,
): Promise<string> => {
  const adaptor = await opening;
  try {
    const measured = line(what, incomingEvents, await adaptor.applied(0), adaptor);
    const effects = (await countEffects?.()) ?? incomingEvents;
    if (effects !== incomingEvents) throw new Error(`${what}: ${effects} effects of ${incomingEvents} events`);
    return measured;
  } finally {
    await adaptor.close();
  }
};

const measureDatabase = async (leftovers: Leftovers, tell: (line: string) => void): Promise<void> => {
  const databaseUrl = await startSourceDatabase(leftovers);
  await fillTable(databaseUrl, outgoingRows);
  const metadata = discoveryMetadata(databaseUrl, { method: 'TIMESTAMP', intervalMs: 200 });
  tell(await measureOutgoing('database adaptor, outgoing', outgoingRows, openDiscovery(metadata, outgoingRows)));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  leftovers.add(() => client.end());
  await client.query('TRUNCATE customer');
  const incoming = [{ count: incomingEvents, data: customerEvent }];
  tell(
    await measureIncoming(
      'database adaptor, incoming',
      openBareAdaptor({
        script: 'adaptors/database/dist/main.js',
        metadata,
        domainVersion: discoveredVersion,
        from: incomingEvents,
        incoming,
      }),
      async () => Number((await client.query<{ n: string }>('SELECT count(*) AS n FROM customer')).rows[0]?.n),
    ),
  );
};

const measureFiles = async (leftovers: Leftovers, tell: (line: string) => void): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-adaptor-rates-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  mkdirSync(from);
  mkdirSync(to);
  for (let file = 1; file <= files; file += 1) writeFileSync(join(from, `${file}.txt`), 'x'.repeat(1_000));
  const source = {
    type: 'source',
    scanIntervalSeconds: 1,
    paths: [{ domain: 'file', version: '1', uri: `file://${from}` }],
  };
  tell(
    await measureOutgoing(
      'file-system adaptor, source, files of 1000 bytes',
      files,
      openBareAdaptor({ script: fileScript, metadata: source, domainVersion: fileVersion, from: files }),
    ),
  );
  const destination = {
    type: 'destination',
    sourceUris: [`file://${from}`],
    destinations: [
      { domain: 'file', version: '1', destinations: [{ baseUri: `file://${to}`, allowRelativeUri: true }] },
    ],
  };
  const data = incomingEvent(fileVersion, {
    adaptorUuid: randomUUID(),
    sourceUri: `file://${from}/%N%.txt`,
    destinationUri: '%N%.txt',
    action: 'NEW',
    contentLength: 1_000,
  });
  tell(
    await measureIncoming(
      'file-system adaptor, destination, files of 1000 bytes',
      openBareAdaptor({
        script: fileScript,
        metadata: destination,
        domainVersion: fileVersion,
        from: incomingEvents,
        incoming: [{ count: incomingEvents, data }],
      }),
      () => Promise.resolve(readdirSync(to).length),
    ),
  );
};

const measureTemporal = async (tell: (line: string) => void): Promise<void> => {
  tell(
    await measureIncoming(
      'temporal adaptor, incoming, embedded store',
      openBareAdaptor({
        script: 'adaptors/temporal/dist/main.js',
        metadata: {},
        domainVersion: discoveredVersion,
        from: incomingEvents,
        incoming: [{ count: incomingEvents, data: customerEvent }],
      }),
    ),
  );
};

export const adaptorRates: Figure = {
  what: 'Events per second and resident memory of each adaptor, with its default properties and a hub that only acknowledges and sends',
  deadlineMs: 300_000,
  run: async (signal, tell) => {
    const leftovers = createLeftovers();
    signal.addEventListener('abort', () => void leftovers.dispose(), { once: true });
    try {
      await measureDatabase(leftovers, tell);
      await measureFiles(leftovers, tell);
      await measureTemporal(tell);
      signal.throwIfAborted();
    } finally {
      await leftovers.dispose();
    }
  },
};
