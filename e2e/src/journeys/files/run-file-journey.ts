import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, eventually } from '@fds/testing';
import { type AdaptorProcess, startAdaptorProcess } from '../../harness/adaptor-process.js';
import { createAdaptor, createVersion, requireStatus, rootZone } from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { publishedBy } from '../../harness/published-by.js';
import { type Service, startService } from '../../harness/service.js';
import { createChangingTree, differences, emptyFolders, readTree } from './file-tree.js';

type Victim = 'SOURCE' | 'DESTINATION' | 'SERVICE';

export interface FileJourney {
  /** Number of files before the first scan. */
  readonly files: number;
  /** Number of kills while the first files are copied, and again while files change. */
  readonly kills: number;
  readonly victims: readonly Victim[];
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface FileJourneyResult {
  /** Number of files at the end. */
  readonly files: number;
  /** Number of events that the source published for the first files: one each, regardless of the kills. */
  readonly firstEvents: number;
  /** Number of records at the end: one for each file. */
  readonly records: number;
  readonly kills: Readonly<Record<Victim, number>>;
  readonly firstSeconds: number;
  readonly seconds: number;
}

/** The model that the adaptor requires. */
export const fileProperties = {
  adaptorUuid: { type: 'string', required: true },
  sourceUri: { type: 'string', required: true },
  intermediateUri: { type: 'string' },
  destinationUri: { type: 'string' },
  action: { type: 'string', enum: ['NEW', 'UPDATED', 'DELETED'], required: true },
  contentLength: { type: 'int', required: true },
  additionalParameters: {
    type: 'array',
    items: {
      type: 'object',
      properties: { key: { type: 'string' }, value: { type: 'string' } },
      required: ['key', 'value'],
    },
  },
};

/** Events of the domain, in both directions. */
export const eventCapabilities = (domainName: string): readonly object[] =>
  ['POST', 'PUT', 'DELETE'].map((action) => ({ domainName, versionNumber: 1, action }));

export const fileAdaptorScript = 'adaptors/file-system/dist/main.js';

/** Number of file records. The list contains a record once for each adaptor that links it: source and destination. */
const countRecords = async (client: Client): Promise<number> => {
  const path = '/drs?filters=name:file&size=1';
  const { body } = requireStatus(await client.rest<{ _page: { totalElements: number } }>('GET', path), 200);
  return body._page.totalElements / 2;
};

/** The open issues, for the message of a journey that fails. */
const tellIssues = async (client: Client, zone: string): Promise<string> => {
  const path = `/zones/${zone}/issues?filters=status:OPEN&size=5`;
  const { status, body } = await client.rest<{ issues?: readonly { title: string; errors: readonly object[] }[] }>(
    'GET',
    path,
  );
  return JSON.stringify(body.issues?.map(({ title, errors }) => [title, ...errors]) ?? status);
};

/** A service with a steward. */
export interface FileStage {
  readonly service: Service;
  readonly client: Client;
  readonly zone: string;
}

export const openFileStage = async (leftovers: Leftovers): Promise<FileStage> => {
  const service = await startService(leftovers);
  const client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  return { service, client, zone: await rootZone(client) };
};

/**
 * A source and a destination on local folders, killed while files are created, updated and deleted, and while files become
 * folders and folders become files. Resolves when both folders are equal, without an empty folder at the destination.
 *
 * @throws Error when they do not become equal, or a temporary file stays
 */
export const runFileJourney = async (
  leftovers: Leftovers,
  { service, client, zone }: FileStage,
  journey: FileJourney,
): Promise<FileJourneyResult> => {
  const random = createRandom(journey.seed);
  const folder = mkdtempSync(join(tmpdir(), 'fds-files-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  mkdirSync(from);
  mkdirSync(to);
  const tree = createChangingTree(from, random);
  await tree.create(journey.files);

  await createVersion(client, {
    name: 'file',
    domainType: 'FEDERATED',
    properties: fileProperties,
    drKeyProperties: ['adaptorUuid', 'sourceUri'],
  });
  const source = await createAdaptor(client, zone, {
    name: 'Files of one system',
    capabilities: eventCapabilities('file'),
    // a journey deletes more than a tenth of its files
    deletionLimit: null,
    metadata: {
      type: 'source',
      queueSize: 64,
      scanIntervalSeconds: 1,
      paths: [{ domain: 'file', version: '1', uri: `file://${from}` }],
    },
  });
  const destination = await createAdaptor(client, zone, {
    name: 'Files of another system',
    capabilities: eventCapabilities('file'),
    metadata: {
      type: 'destination',
      sourceUris: [`file://${from}`],
      destinations: [
        { domain: 'file', version: '1', destinations: [{ baseUri: `file://${to}`, allowRelativeUri: true }] },
      ],
    },
  });
  const program = {
    script: fileAdaptorScript,
    environment: () => ({ CONCURRENCY: '8' }),
  };
  const running: Readonly<Record<'SOURCE' | 'DESTINATION', AdaptorProcess>> = {
    DESTINATION: await startAdaptorProcess(leftovers, service, destination, program),
    SOURCE: await startAdaptorProcess(leftovers, service, source, program),
  };
  const kills: Record<Victim, number> = { SOURCE: 0, DESTINATION: 0, SERVICE: 0 };
  const kill = async (victim: Victim): Promise<void> => {
    kills[victim] += 1;
    if (victim === 'SERVICE') {
      await service.kill();
      await service.start();
      return;
    }
    await running[victim].kill();
    running[victim].start();
  };
  const untilEqual = async (): Promise<void> => {
    try {
      await eventually(
        () => {
          const different = differences(readTree(from), readTree(to));
          if (different.length > 0)
            throw new Error(`${different.length} differ, such as ${different.slice(0, 3).join(', ')}`);
          const empty = emptyFolders(to);
          if (empty.length > 0)
            throw new Error(`${empty.length} folders are empty, such as ${empty.slice(0, 3).join(', ')}`);
        },
        { deadlineMs: journey.deadlineMs, intervalMs: 250 },
      );
    } catch (error) {
      throw new Error(`${String(error)}; issues: ${await tellIssues(client, zone)}`, { cause: error });
    }
  };
  /** Kills processes in turn, each during the work. */
  const killAtRandom = async (work: () => void): Promise<void> => {
    for (let round = 0; round < journey.kills; round += 1) {
      work();
      await sleep(200 + random.below(800));
      await kill(journey.victims[round % journey.victims.length] ?? 'SOURCE');
    }
  };

  const startedMs = performance.now();
  await killAtRandom(() => undefined);
  await untilEqual();
  const firstSeconds = (performance.now() - startedMs) / 1000;
  await Promise.all(Object.values(running).map((process) => process.untilUp()));
  let firstEvents = -1;
  // after a kill of the service, an old connection fails once
  await eventually(
    async () => {
      firstEvents = await publishedBy(client, zone, source.uuid);
    },
    { deadlineMs: journey.deadlineMs },
  );

  await killAtRandom(() => tree.change(Math.ceil(journey.files / 10)));
  await untilEqual();
  let records = -1;
  await eventually(
    async () => {
      records = await countRecords(client);
      if (records !== tree.size) throw new Error(`${records} records of ${tree.size} files`);
    },
    { deadlineMs: journey.deadlineMs, intervalMs: 250 },
  );
  await untilEqual();
  return {
    files: tree.size,
    firstEvents,
    records,
    kills,
    firstSeconds,
    seconds: (performance.now() - startedMs) / 1000,
  };
};
