import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeletionLimit } from '@fds/adaptor-sdk';
import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseFileSystemMetadata } from '../configuration/file-system-metadata.js';
import type { Role } from '../role.js';
import { type MonitoringState, openMonitoringState } from '../state/monitoring-state.js';
import { openDatabase } from '../state/open-database.js';
import { openProcessingState, type ProcessingState } from '../state/processing-state.js';
import type { FoundFile } from '../storage/storage.js';
import { openStorages } from '../storage/open-storages.js';
import { createRecordingAdaptor, type RecordingAdaptor } from '../testing/recording-adaptor.js';
import { createSourceRole } from './source-role.js';

const adaptorUuid = randomUUID();
const parent = mkdtempSync(join(tmpdir(), 'fds-source-'));
let folder: string;
let data: string;
let recording: RecordingAdaptor;
let monitoring: MonitoringState;
let processing: ProcessingState;
let role: Role;
let count = 0;

const write = (path: string, content: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const open = (
  path: object = {},
  source: object = {},
  actions = ['POST', 'PUT', 'DELETE'],
  deletionLimit: DeletionLimit | null = null,
): void => {
  const metadata = parseFileSystemMetadata({
    type: 'source',
    scanIntervalSeconds: 3_600,
    paths: [{ domain: 'file', version: '1', uri: `file://${folder}`, ...path }],
    ...source,
  });
  if (metadata.type !== 'source') throw new Error('no source');
  monitoring = openMonitoringState(data, 'file_monitor');
  processing = openProcessingState(data, 'file_monitor_processing');
  monitoring.recover(recording.adaptor.published);
  role = createSourceRole(recording.adaptor, metadata, {
    monitoring,
    copying: { storages: openStorages(undefined, processing), processing, newUuid: randomUUID },
    configuration: {
      metadata: {},
      capabilities: actions.map((action) => ({ domainName: 'File', versionNumber: 1, action: action as 'POST' })),
      domainVersions: [],
      discoveryMode: false,
      deletionLimit,
    },
  });
};
const close = async (): Promise<void> => {
  await role.pause?.();
  monitoring.close();
  processing.close();
};
const eventually = async (condition: () => boolean): Promise<void> => {
  for (const end = Date.now() + 10_000; !condition(); await sleep(5)) {
    if (Date.now() > end)
      throw new Error(`did not hold: ${condition.toString()}; ${recording.tell(folder).join(', ')}`);
  }
};
const told = (): readonly string[] => recording.tell(folder).toSorted();
/** Scans until this number of events was published in total, then scans again and expects no further event. */
const scan = async (events: number): Promise<void> => {
  await role.play?.();
  await eventually(() => {
    void role.refreshState?.();
    return recording.events.length >= events;
  });
  await role.pause?.();
  expect(recording.events).toHaveLength(events);
};

beforeEach(() => {
  folder = join(parent, `folder-${(count += 1)}`);
  data = join(parent, `data-${count}`);
  mkdirSync(folder);
  recording = createRecordingAdaptor(adaptorUuid);
});
afterEach(close);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

it('reports the discovery once its folders were scanned, with the number of files', async () => {
  for (const path of ['a', 'b', 'other/c']) write(path, 'x');
  const uri = `file://${folder}`;
  const path = { domain: 'file', version: '1', filter: { type: 'NOT', children: [{ type: 'IS_DIRECTORY' }] } };
  open(
    {},
    {
      paths: [
        { ...path, uri },
        { ...path, domain: 'File', uri: `${uri}/other` },
      ],
    },
  );
  await role.play?.();
  await eventually(() => recording.discovered.length === 1);
  expect(recording.discovered).toEqual([{ domain: expect.stringMatching(/^file$/i), version: 1, records: 3 }]);
  expect(recording.events).toHaveLength(3);
  // the lag of each folder is known
  expect([...recording.read.values()].map((until) => until instanceof Date)).toEqual([true, true]);
});

describe.each([0, 1, 100])('a source with queueSize %i', (queueSize) => {
  it('reports new, updated and deleted files, each once', async () => {
    for (let index = 0; index < 300; index += 1) write(`${index % 3}/${index}`, 'x');
    open({}, { queueSize });
    await scan(300);
    expect(new Set(told()).size).toBe(300);
    appendFileSync(join(folder, '0/0'), 'y');
    utimesSync(join(folder, '1/1'), 1, 1.5);
    rmSync(join(folder, '2'), { recursive: true });
    await scan(300 + 2 + 100 * 2);
    expect(told().filter((one) => one.startsWith('UPDATED'))).toEqual(['UPDATED 0/0', 'UPDATED 1/1']);
    expect(told().filter((one) => one.startsWith('DELETED'))).toHaveLength(100);
    expect(told().filter((one) => one.startsWith('DELETE '))).toHaveLength(100);
  });
});

describe('a source', () => {
  it('reports a deletion before the file or folder that takes its place', async () => {
    write('c', 'file');
    write('e/f/g', 'below');
    write('e/h', 'below');
    write('other', 'x');
    open({}, {}, ['POST', 'PUT']);
    await scan(4);
    rmSync(join(folder, 'c'));
    write('c/d', 'below');
    rmSync(join(folder, 'e'), { recursive: true });
    write('e', 'file');
    write('another', 'x');
    await scan(10);
    const later = recording.tell(folder).slice(4);
    expect(later.toSorted()).toEqual(['DELETED c', 'DELETED e/f/g', 'DELETED e/h', 'NEW another', 'NEW c/d', 'NEW e']);
    const at = (text: string): number => later.indexOf(text);
    expect(at('DELETED c')).toBeLessThan(at('NEW c/d'));
    expect(Math.max(at('DELETED e/f/g'), at('DELETED e/h'))).toBeLessThan(at('NEW e'));
    await close();
    rmSync(join(folder, 'e'));
    write('e/f/g', 'below');
    open({}, {}, ['POST', 'PUT']);
    await scan(12);
    expect(recording.tell(folder).slice(10)).toEqual(['DELETED e', 'NEW e/f/g']);
  });

  describe('with a deletion limit', () => {
    const limit: DeletionLimit = { percent: 10, minimum: 20, seconds: 3_600 };
    /** Scans until the condition holds. */
    const scanUntil = async (condition: () => boolean): Promise<void> => {
      await role.play?.();
      await eventually(condition);
      await role.pause?.();
    };
    const reasons = (): readonly string[] => [...recording.faults.values()].map(({ reason }) => reason);

    it('reports no deletion of a folder that is emptied, says why, and continues when the files are back', async () => {
      for (let index = 0; index < 50; index += 1) write(`files/${index}`, 'x');
      open({}, {}, ['POST', 'PUT'], limit);
      await scan(50);
      renameSync(join(folder, 'files'), join(parent, `aside-${count}`));
      write('new', 'x');
      write('files', 'takes the place of the folder');
      await scanUntil(() => reasons().length > 0);
      expect(recording.tell(folder).slice(50)).toEqual(['NEW new']);
      expect(reasons()).toEqual([expect.stringMatching(/^50 of 51 files of file:.* are missing\. .*deletionLimit/)]);
      expect([...recording.faults.values()][0]).not.toHaveProperty('state');
      expect(role.health()).toEqual({ 'file:1': 'UP' });
      rmSync(join(folder, 'files'));
      renameSync(join(parent, `aside-${count}`), join(folder, 'files'));
      await scanUntil(() => reasons().length === 0);
      await scan(51);
    });

    it('reports all deletions when the limit is off, and few of them with it', async () => {
      for (let index = 0; index < 50; index += 1) write(`files/${index}`, 'x');
      open({}, {}, ['POST', 'PUT'], limit);
      await scan(50);
      for (let index = 0; index < 15; index += 1) rmSync(join(folder, `files/${index}`));
      await scan(65);
      // the limit holds for the deletions of several scans
      for (let index = 15; index < 25; index += 1) rmSync(join(folder, `files/${index}`));
      await scanUntil(() => reasons().length > 0);
      expect(reasons()).toEqual([expect.stringMatching(/^10 of 35 files .*, after 15 that were reported as deleted/)]);
      expect(recording.events).toHaveLength(65);
      await close();
      role.close();
      open({}, {}, ['POST', 'PUT'], null);
      await scan(75);
      expect(reasons()).toEqual([]);
    });
  });

  it('moves the intermediate copy of a file that becomes a folder, and back', async () => {
    const shared = join(parent, `shared-${count}`);
    mkdirSync(shared);
    write('c', 'file');
    open({ writeToIntermediate: true, baseIntermediateUri: `file://${shared}` }, {}, ['POST', 'PUT']);
    await scan(1);
    rmSync(join(folder, 'c'));
    write('c/d', 'below');
    await scan(3);
    expect(readFileSync(join(shared, 'c/d'), 'utf8')).toBe('below');
    rmSync(join(folder, 'c'), { recursive: true });
    write('c', 'again');
    await scan(5);
    expect(readFileSync(join(shared, 'c'), 'utf8')).toBe('again');
    expect(recording.reported).toEqual([]);
  });

  it('reports the last content of a file that changes twice within the resolution of its time', async () => {
    write('twice', 'first!');
    // a time in the future: the scan reports the file at once, and does not see a later change with this time
    utimesSync(join(folder, 'twice'), new Date(), new Date(Date.now() + 60_000));
    write('now', 'first!');
    // as a file system that stores whole seconds has it
    const changed = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    utimesSync(join(folder, 'now'), changed, changed);
    open();
    const playing = role.play?.();
    // the scan has found the file, and waits until its time no longer hides a change
    await eventually(() => recording.tell(folder).includes('NEW twice'));
    write('now', 'second, and longer');
    utimesSync(join(folder, 'now'), changed, changed);
    await playing;
    await scan(2);
    expect(recording.events.map(({ json }) => json?.['contentLength'])).toEqual([6, 18]);
  });

  describe('files of equal size and time', () => {
    const hour = new Date('2026-01-02T03:04:05.678Z');
    const writeAt = (path: string, content: string): void => {
      write(path, content);
      utimesSync(join(folder, path), hour, hour);
    };
    const sha256 = (): unknown => {
      const parameters = recording.events.at(-1)?.json?.['additionalParameters'] ?? [];
      return (parameters as { key: string; value: string }[]).find(({ key }) => key === 'sha256')?.value;
    };
    const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');
    /** Scans once, and waits until the state of every known file fulfils the condition. */
    const untilStored = async (condition: (file: FoundFile) => boolean): Promise<void> => {
      await role.play?.();
      await eventually(() => monitoring.files(`file:1 file://${folder}`).every(condition));
      await role.pause?.();
    };
    const hasPresentStamp = ({ path, stamp }: FoundFile): boolean => {
      const { ctimeMs } = statSync(join(folder, path));
      return stamp === ctimeMs;
    };

    it('reports a file that is moved over another one, once, also when the adaptor was stopped', async () => {
      for (const name of ['a', 'b', 'c']) writeAt(name, `content of ${name}`);
      open();
      await scan(3);
      renameSync(join(folder, 'b'), join(folder, 'a'));
      await scan(3 + 1 + 2);
      expect(told().filter((one) => one.endsWith(' a'))).toEqual(['NEW a', 'UPDATED a']);
      await close();
      renameSync(join(folder, 'c'), join(folder, 'a'));
      open();
      await scan(6 + 1 + 2);
      expect(told().filter((one) => one.endsWith(' a'))).toEqual(['NEW a', 'UPDATED a', 'UPDATED a']);
    });

    it('reports a file that is written and gets its former time again', async () => {
      writeAt('a', 'first');
      open();
      await scan(1);
      writeAt('a', 'other');
      await scan(2);
      expect(sha256()).toBe(digestOf('other'));
      const answer = await role.assemble?.(
        {
          requestUuid: randomUUID(),
          domain: 'File',
          version: 1,
          domainVersionUuid: randomUUID(),
          requestedProperties: ['additionalParameters'],
          timeoutMilliseconds: 1_000,
          records: [{ drUuid: randomUUID(), drKey: { adaptorUuid, sourceUri: `file://${folder}/a` } }],
        },
        new AbortController().signal,
      );
      expect(answer?.records[0]?.data?.['additionalParameters']).toEqual(
        recording.events[1]?.json?.['additionalParameters'],
      );
    });

    it('reports nothing when only the rights or the inodes of files change, and then another content', async () => {
      const names = Array.from({ length: 300 }, (_, index) => `${index % 3}/${index}`);
      for (const name of names) writeAt(name, `content of ${name}`);
      open();
      await scan(300);
      await untilStored(({ digest }) => digest !== undefined);
      for (const name of names) chmodSync(join(folder, name), 0o600);
      await untilStored(hasPresentStamp);
      for (const name of names) {
        const place = join(folder, name);
        copyFileSync(place, `${place}.new`);
        utimesSync(`${place}.new`, hour, hour);
        renameSync(`${place}.new`, place);
      }
      await untilStored(hasPresentStamp);
      expect(recording.events).toHaveLength(300);
      writeAt('0/0', 'CONTENT of 0/0');
      await scan(301);
      expect(sha256()).toBe(digestOf('CONTENT of 0/0'));
    });

    it('reports the content of a file above 64 MiB at most once when its rights change', async () => {
      writeAt('large', '');
      truncateSync(join(folder, 'large'), 65 * 1024 * 1024);
      open();
      await scan(1);
      for (const mode of [0o600, 0o644, 0o640]) {
        chmodSync(join(folder, 'large'), mode);
        await scan(2);
        await untilStored(hasPresentStamp);
      }
      expect(sha256()).toMatch(/^[0-9a-f]{64}$/);
      expect(recording.events).toHaveLength(2);
    });

    it('reports nothing again after the upgrade of a state without times of change', async () => {
      for (const name of ['a', 'b']) writeAt(name, `content of ${name}`);
      open();
      await scan(2);
      await close();
      const later = { file: ['stamp', 'digest', 'sent_digest'], note: ['stamp', 'digest'] };
      const dropped = Object.entries(later).flatMap(([table, columns]) =>
        columns.map((column) => `ALTER TABLE ${table} DROP COLUMN ${column};`),
      );
      openDatabase(data, 'file_monitor', dropped.join('')).close();
      open();
      await untilStored(hasPresentStamp);
      await close();
      expect(recording.events).toHaveLength(2);
      renameSync(join(folder, 'b'), join(folder, 'a'));
      open();
      await scan(2 + 1 + 2);
      expect(told()).toContain('UPDATED a');
    });
  });

  it('answers assembly requests with the current state of the files that it reported', async () => {
    open();
    write('sub/a', 'first');
    await role.play?.();
    await eventually(() => recording.events.length === 1);
    write('sub/a', 'second, longer');
    write('never reported', 'x');
    const requested = (path: string, key: object = {}) => ({
      drUuid: randomUUID(),
      drKey: { adaptorUuid, sourceUri: `file://${folder}/${path}`, ...key },
    });
    const asked = [
      requested('sub/a'),
      requested('never reported'),
      requested('../../etc/hostname'),
      requested('sub/a', { adaptorUuid: randomUUID() }),
    ];
    const request = {
      requestUuid: randomUUID(),
      domain: 'File',
      version: 1,
      domainVersionUuid: randomUUID(),
      requestedProperties: ['contentLength', 'destinationUri'],
      timeoutMilliseconds: 1_000,
    };
    const { signal } = new AbortController();
    const answer = await role.assemble?.({ ...request, records: asked }, signal);
    expect(answer?.records).toEqual([
      {
        ...asked[0],
        data: { contentLength: 14, destinationUri: 'sub/a' },
        lastUpdated: Math.floor(statSync(join(folder, 'sub/a')).mtimeMs),
      },
    ]);
    rmSync(join(folder, 'sub/a'));
    const gone = await role.assemble?.({ ...request, records: asked }, signal);
    expect(gone?.records).toEqual([{ ...asked[0], data: null }]);
    await expect(role.assemble?.({ ...request, records: null }, signal)).rejects.toThrow('name records');
  });

  it('describes a file as the specification requires', async () => {
    write('sub/a b#.txt', 'hello');
    utimesSync(join(folder, 'sub/a b#.txt'), 1, 1.25);
    open();
    await scan(1);
    expect(recording.events[0]).toEqual({
      action: 'POST',
      domain: 'file',
      version: 1,
      messageGroup: `file://${folder}/sub/a b#.txt`,
      json: {
        adaptorUuid,
        sourceUri: `file://${folder}/sub/a b#.txt`,
        intermediateUri: null,
        destinationUri: 'sub/a b#.txt',
        action: 'NEW',
        contentLength: 5,
        additionalParameters: [{ key: 'lastModified', value: '1970-01-01T00:00:01.2500000Z' }],
      },
    });
  });

  it('rewrites the destination and resolves it against baseDestinationUri', async () => {
    write('a.txt', 'x');
    open({
      baseDestinationUri: 'file:///target',
      destinationRewriteRules: [{ filterRegex: '.*\\.txt', findRegex: '^', replaceRegex: 'texts/' }],
    });
    await scan(1);
    expect(recording.events[0]?.json?.['destinationUri']).toBe('file:///target/texts/a.txt');
  });

  it('continues at its last state after a restart', async () => {
    write('a', 'x');
    write('b', 'x');
    write('c', 'x');
    open();
    await scan(3);
    await close();
    appendFileSync(join(folder, 'a'), 'y');
    rmSync(join(folder, 'b'));
    write('d', 'x');
    open();
    await scan(7);
    expect(recording.tell(folder).slice(3).toSorted()).toEqual(['DELETE b', 'DELETED b', 'NEW d', 'UPDATED a']);
  });

  it.each([
    ['before its events were published', 0],
    ['after its events were published', 1],
  ])('neither repeats nor loses an event when it dies %s', async (_, published) => {
    write('a', 'x');
    open();
    await scan(1);
    // the state of a process that dies between the note and the settlement
    appendFileSync(join(folder, 'a'), 'y');
    const file = { path: 'a', size: 2, modifiedMs: statSync(join(folder, 'a')).mtimeMs };
    monitoring.note([{ folder: `file:1 file://${folder}`, file, kind: 'PRESENT', events: 1 }], 1);
    if (published === 1) await recording.adaptor.publish({ action: 'PUT', domain: 'file', version: 1, json: {} });
    await close();
    open();
    write('b', 'x');
    await scan(3);
    expect(recording.events.filter(({ action }) => action === 'PUT')).toHaveLength(1);
  });

  it('reports a deletion by one event if the adaptor cannot delete records', async () => {
    write('a', 'x');
    open({}, {}, ['POST', 'PUT']);
    await scan(1);
    rmSync(join(folder, 'a'));
    await scan(2);
    expect(recording.tell(folder)).toEqual(['NEW a', 'DELETED a']);
    expect(recording.events[1]?.action).toBe('PUT');
  });

  it('reports no deletion of a file that the filter now excludes', async () => {
    write('a', '');
    open({ filter: { type: 'MAXIMUM_SIZE', value: 3 } });
    await scan(1);
    write('a', 'too long');
    write('b', 'x');
    await scan(2);
    expect(recording.tell(folder)).toEqual(['NEW a', 'NEW b']);
  });

  it('is DOWN while its folder is not available, says so, and reports no deletion', async () => {
    write('a', 'x');
    open();
    await scan(1);
    renameSync(folder, `${folder}-away`);
    await role.play?.();
    await eventually(() => role.health()['file:1'] === 'DOWN');
    for (let round = 0; round < 20; round += 1) {
      void role.refreshState?.();
      await sleep(5);
    }
    const source = `file:1 file://${folder}`;
    expect(recording.faults.get(source)).toEqual({ source, state: 'ERROR', reason: expect.stringContaining('ENOENT') });
    renameSync(`${folder}-away`, folder);
    write('b', 'x');
    await eventually(() => {
      void role.refreshState?.();
      return role.health()['file:1'] === 'UP';
    });
    await scan(2);
    expect(recording.tell(folder)).toEqual(['NEW a', 'NEW b']);
  });

  describe('whose folder is replaced by another one', () => {
    const replace = (): void => {
      renameSync(folder, `${folder}-former`);
      mkdirSync(folder);
    };
    const restart = async (path: object = {}): Promise<void> => {
      await close();
      open(path);
    };
    const untilRefused = async (): Promise<void> => {
      await role.play?.();
      await eventually(() => role.health()['file:1'] === 'DOWN');
      await role.pause?.();
    };
    const accept = { sourceChanged: 'ACCEPT' };
    const present = () => recording.faults.get(`file:1 file://${folder}`);

    it('reports nothing and names both folders, until the former one is back', async () => {
      write('a', 'x');
      open();
      await scan(1);
      const { dev, ino } = statSync(folder);
      replace();
      write('b', 'x');
      await untilRefused();
      const { state, reason: message = '' } = present() ?? {};
      expect(state).toBe('ERROR');
      expect(message).toContain(`before: device ${dev}, inode ${ino}, ${folder}`);
      expect(message).toContain(`now: device ${dev}, inode ${statSync(folder).ino}, ${folder}`);
      expect(recording.tell(folder)).toEqual(['NEW a']);
      rmSync(folder, { recursive: true });
      renameSync(`${folder}-former`, folder);
      rmSync(join(folder, 'a'));
      await scan(3);
      expect([role.health(), present()]).toEqual([{ 'file:1': 'UP' }, undefined]);
      expect(recording.tell(folder)).toEqual(['NEW a', 'DELETED a', 'DELETE a']);
    });

    it('reports nothing after a restart either', async () => {
      write('a', 'x');
      open();
      await scan(1);
      replace();
      await restart();
      await untilRefused();
      expect(recording.tell(folder)).toEqual(['NEW a']);
    });

    it('takes over the folder that it finds after an acceptance, and no later one', async () => {
      write('a', 'x');
      open();
      await scan(1);
      replace();
      write('b', 'x');
      await restart(accept);
      await scan(4);
      expect(told()).toEqual(['DELETE a', 'DELETED a', 'NEW a', 'NEW b']);
      renameSync(folder, `${folder}-second`);
      mkdirSync(folder);
      await untilRefused();
      await restart(accept);
      await untilRefused();
      expect(present()?.reason).toContain('remove it, then set it again');
      await restart();
      await untilRefused();
      await restart(accept);
      await scan(6);
      expect(told().filter((one) => one.includes(' b'))).toEqual(['DELETE b', 'DELETED b', 'NEW b']);
    });

    it('recognises a folder of which an earlier release stored the device alone', async () => {
      write('a', 'x');
      open();
      await scan(1);
      monitoring.setIdentity(`file:1 file://${folder}`, { identity: undefined, acceptanceUsed: false });
      await close();
      const database = openDatabase(data, 'file_monitor', 'DELETE FROM folder_identity');
      database.prepare('INSERT INTO folder VALUES (?, ?)').run(`file:1 file://${folder}`, 'another');
      database.close();
      open();
      await untilRefused();
      expect(present()?.reason).toContain('before: device another; now: device');
    });
  });

  it('reports each entry that it cannot monitor once', async () => {
    write('10%', 'x');
    write('a', 'x');
    open();
    await role.play?.();
    await eventually(() => recording.reported.length === 1);
    write('b', 'x');
    await scan(2);
    expect(recording.reported.map(({ level, message }) => [level, message])).toEqual([
      ['WARN', `1 entries of file://${folder} cannot be monitored, such as "10%": a name with % cannot be monitored`],
    ]);
  });

  it('copies a file to the intermediate folder before it reports the file, and removes the copy of a deleted file', async () => {
    const intermediate = join(parent, `intermediate-${count}`);
    mkdirSync(intermediate);
    write('sub/a.txt', 'hello');
    open({
      writeToIntermediate: true,
      baseIntermediateUri: `file://${intermediate}`,
      intermediateRewriteRules: [{ findRegex: '/', replaceRegex: '_' }],
    });
    await scan(1);
    expect(recording.events[0]?.json).toMatchObject({
      intermediateUri: `file://${intermediate}/sub_a.txt`,
      destinationUri: 'sub/a.txt',
    });
    expect(readFileSync(join(intermediate, 'sub_a.txt'), 'utf8')).toBe('hello');
    write('sub/a.txt', 'hello again');
    await scan(2);
    expect(readFileSync(join(intermediate, 'sub_a.txt'), 'utf8')).toBe('hello again');
    rmSync(join(folder, 'sub'), { recursive: true });
    await scan(4);
    expect(existsSync(join(intermediate, 'sub_a.txt'))).toBe(false);
    expect(processing.underWay()).toEqual([]);
  });

  it('waits for an intermediate folder that is not available, then reports every file', async () => {
    const intermediate = join(parent, `late-${count}`);
    write('a', 'x');
    write('b', 'x');
    open({ writeToIntermediate: true, baseIntermediateUri: `file://${intermediate}` });
    await role.play?.();
    await eventually(() => role.health()['file:1'] === 'DOWN');
    expect(recording.events).toEqual([]);
    mkdirSync(intermediate);
    await scan(2);
    expect(told()).toEqual(['NEW a', 'NEW b']);
  });
});
