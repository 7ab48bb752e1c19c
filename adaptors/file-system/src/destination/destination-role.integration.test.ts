import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { IncomingEvent } from '@fds/adaptor-sdk';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { parseFileSystemMetadata } from '../configuration/file-system-metadata.js';
import type { Role } from '../role.js';
import { openMonitoringState, type MonitoringState } from '../state/monitoring-state.js';
import { openProcessingState, type ProcessingState } from '../state/processing-state.js';
import { openStorages, type Storages } from '../storage/open-storages.js';
import { createRecordingAdaptor, type RecordingAdaptor } from '../testing/recording-adaptor.js';
import { copyFile } from '../transfer/copy-file.js';
import { removeLeftovers } from '../transfer/remove-leftovers.js';
import { type Location, parseLocation } from '../uris/location.js';
import { createDestinationRole } from './destination-role.js';

const sourceUuid = randomUUID();
const domainVersionUuid = randomUUID();
const parent = mkdtempSync(join(tmpdir(), 'fds-destination-'));
let source: string;
let target: string;
let data: string;
let recording: RecordingAdaptor;
let monitoring: MonitoringState;
let processing: ProcessingState;
let role: Role;
let count = 0;

type Moment = 'BEFORE' | 'AFTER';

/** The storages. A copy waits before or after it gets its name. */
const pausing = (storages: Storages, pause: (name: string, moment: Moment) => Promise<void>): Storages => ({
  ...storages,
  of: (location) => {
    const storage = storages.of(location);
    return {
      ...storage,
      begin: async (to, base, token) => {
        const pending = await storage.begin(to, base, token);
        const name = to.segments.slice(-2).join('/');
        return {
          ...pending,
          commit: async (replaced) => {
            await pause(name, 'BEFORE');
            const written = await pending.commit(replaced);
            await pause(name, 'AFTER');
            return written;
          },
        };
      },
    };
  },
});

let changeStorages: (storages: Storages) => Storages = (storages) => storages;

const open = (destination: object = { allowRelativeUri: true }, more: readonly object[] = []): void => {
  const metadata = parseFileSystemMetadata({
    type: 'destination',
    sourceUris: [`file://${source}`],
    destinations: [
      {
        domain: 'file',
        version: '1',
        destinations: [destination, ...more].map((one) => ({ baseUri: `file://${target}`, ...one })),
      },
    ],
  });
  if (metadata.type !== 'destination') throw new Error('no destination');
  monitoring = openMonitoringState(data, 'file_monitor');
  processing = openProcessingState(data, 'file_monitor_processing');
  role = createDestinationRole(recording.adaptor, metadata, {
    monitoring,
    copying: { storages: changeStorages(openStorages(undefined, processing)), processing, newUuid: randomUUID },
    configuration: {
      metadata: {},
      capabilities: [],
      discoveryMode: false,
      domainVersions: [
        { domain: 'file', version: 1, domainVersionUuid, drKeyProperties: ['sourceUri', 'adaptorUuid'] },
      ],
    },
  });
};
const close = (): void => {
  monitoring.close();
  processing.close();
};
const event = (action: IncomingEvent['action'], sourceUri: string, json: JsonObject = {}): IncomingEvent => ({
  action,
  drUuid: randomUUID(),
  json,
  drKeyValues: [sourceUri, sourceUuid],
  drKey: '[]',
  jsonData: '{}',
  domain: 'File',
  version: 1,
  domainVersionUuid,
  sourceAdaptorUuid: sourceUuid,
  destinationAdaptorUuid: randomUUID(),
  transactionUuid: randomUUID(),
  createTime: 0,
  messageGroup: sourceUri,
  position: { epoch: randomUUID(), sequence: 1 },
});
const fileEvent = (path: string, json: JsonObject = {}): IncomingEvent => {
  const sourceUri = `file://${source}/${path}`;
  const facts = existsSync(join(source, path)) ? statSync(join(source, path)) : undefined;
  return event('POST', sourceUri, {
    adaptorUuid: sourceUuid,
    sourceUri,
    destinationUri: path,
    action: 'NEW',
    contentLength: facts?.size ?? 0,
    additionalParameters: [{ key: 'lastModified', value: String(facts?.mtimeMs) }],
    ...json,
  });
};
const apply = async (incoming: IncomingEvent): Promise<unknown> => role.apply?.(incoming);
/** A file of the target stays as it is. */
const conflict = {
  name: 'ApplyError',
  kind: 'DATA',
  retry: 'NEVER',
  title: 'The file at the destination was changed there',
};
const write = (path: string, content: string): void => {
  mkdirSync(join(source, path, '..'), { recursive: true });
  writeFileSync(join(source, path), content);
};
const read = (path: string): string => readFileSync(join(target, path), 'utf8');
const files = (): readonly string[] => readdirSync(target, { recursive: true }).map(String).toSorted();

beforeEach(() => {
  count += 1;
  [source, target, data] = ['source', 'target', 'data'].map((name) => join(parent, `${name}-${count}`)) as [
    string,
    string,
    string,
  ];
  mkdirSync(source);
  mkdirSync(target);
  recording = createRecordingAdaptor(randomUUID());
});
afterEach(close);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a destination', () => {
  it('copies new and updated files and removes deleted ones', async () => {
    open();
    write('sub/a b#.txt', 'one');
    await apply(fileEvent('sub/a b#.txt'));
    expect(read('sub/a b#.txt')).toBe('one');
    write('sub/a b#.txt', 'two, longer');
    await apply(fileEvent('sub/a b#.txt', { action: 'UPDATED' }));
    expect(read('sub/a b#.txt')).toBe('two, longer');
    rmSync(join(source, 'sub'), { recursive: true });
    await apply(fileEvent('sub/a b#.txt', { action: 'DELETED' }));
    expect(files()).toEqual([]);
    expect(processing.underWay()).toEqual([]);
  });

  it.each([
    ['whole records', (json: JsonObject): JsonObject => json],
    [
      'the changed properties only',
      ({ action, contentLength, additionalParameters }: JsonObject) => ({
        action,
        contentLength,
        additionalParameters,
      }),
    ],
  ] as const)('follows a file by messages with %s, also after a restart', async (_, select) => {
    open();
    const put = (action: string): IncomingEvent => {
      const { json, drKeyValues } = fileEvent('sub/a', { action });
      return { ...event('PUT', drKeyValues[0] as string), json: select(json) };
    };
    write('sub/a', 'one');
    await apply(fileEvent('sub/a'));
    write('sub/a', 'two, longer');
    await apply(put('UPDATED'));
    expect(read('sub/a')).toBe('two, longer');
    close();
    open();
    rmSync(join(source, 'sub/a'));
    await apply(put('DELETED'));
    expect(files()).toEqual([]);
    write('sub/a', 'again');
    await apply(put('NEW'));
    expect(read('sub/a')).toBe('again');
    await apply(event('DELETE', `file://${source}/sub/a`));
    expect(files()).toEqual([]);
    await expect(apply({ ...put('NEW'), json: { action: 'NEW' } })).rejects.toMatchObject({
      kind: 'DATA',
      title: 'The record does not describe a file',
      message: expect.stringContaining('/contentLength'),
    });
  });

  it('changes a property that a reconciliation read only where the description still has that value', async () => {
    open();
    write('one', '1');
    write('two', '22');
    await apply(fileEvent('one'));
    const { json, drKeyValues } = fileEvent('one');
    const repair = (read: JsonObject): IncomingEvent => ({
      ...event('PUT', drKeyValues[0] as string),
      json: { destinationUri: 'moved' },
      changed: ['destinationUri'],
      read,
    });
    await apply(repair({ destinationUri: 'outdated' }));
    expect(files()).toEqual(['one']);
    await apply(repair({ destinationUri: json['destinationUri'] }));
    expect(files()).toContain('moved');
  });

  it('compares the content where the source sends its digest, and copies only another one', async () => {
    write('a', 'first');
    open();
    const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');
    const withDigest = (content: string): IncomingEvent => {
      const whole = fileEvent('a');
      const parameters = whole.json['additionalParameters'] as { key: string; value: string }[];
      const time = { key: 'lastModified', value: 'always the same' };
      return {
        ...whole,
        json: { ...whole.json, additionalParameters: [time, ...parameters.slice(1), ...digest(content)] },
      };
    };
    const digest = (content: string) => (content === '' ? [] : [{ key: 'sha256', value: digestOf(content) }]);
    await apply(withDigest(''));
    const { ino } = statSync(join(target, 'a'));
    await apply(withDigest('first'));
    await apply(withDigest('first'));
    expect(statSync(join(target, 'a')).ino).toBe(ino);
    write('a', 'other');
    await apply(withDigest('other'));
    expect(read('a')).toBe('other');
  });

  describe('two names that lead to one file', () => {
    beforeEach(() => {
      mkdirSync(join(target, 'folder'));
      symlinkSync('folder', join(target, 'Folder'));
      for (const name of ['folder/a', 'Folder/a']) write(name, `content of ${name}`);
    });
    const refused = {
      name: 'ApplyError',
      kind: 'DATA',
      title: 'A file or folder is in the way at the destination',
      message: expect.stringMatching(/Folder\/a and file:.*\/folder\/a are one file at the destination/) as unknown,
    };

    it.each([
      ['other', 'content of Folder/a'],
      ['the same', 'content of folder/a'],
    ])('keeps the copy of the first when the second has %s content', async (_, content) => {
      write('Folder/a', content);
      open();
      await apply(fileEvent('folder/a'));
      await expect(apply(fileEvent('Folder/a'))).rejects.toMatchObject(refused);
      expect(read('folder/a')).toBe('content of folder/a');
      await apply(fileEvent('Folder/a', { action: 'DELETED', contentLength: 0 }));
      await apply({ ...fileEvent('Folder/a'), action: 'DELETE', json: {} });
      expect(read('folder/a')).toBe('content of folder/a');
      await apply(fileEvent('folder/a', { action: 'DELETED', contentLength: 0 }));
      expect(existsSync(join(target, 'folder/a'))).toBe(false);
    });

    it('keeps the first also after the user changed it, and names it', async () => {
      open();
      await apply(fileEvent('folder/a'));
      writeFileSync(join(target, 'folder/a'), 'content of Folder/a');
      await expect(apply(fileEvent('Folder/a'))).rejects.toMatchObject(refused);
      await apply(fileEvent('Folder/a', { action: 'DELETED', contentLength: 0 }));
      expect(read('folder/a')).toBe('content of Folder/a');
    });

    it('copies the second once the first is deleted', async () => {
      open();
      await apply(fileEvent('folder/a'));
      await expect(apply(fileEvent('Folder/a'))).rejects.toMatchObject(refused);
      await apply(fileEvent('folder/a', { action: 'DELETED', contentLength: 0 }));
      mkdirSync(join(target, 'folder'), { recursive: true });
      await apply(fileEvent('Folder/a'));
      expect(read('folder/a')).toBe('content of Folder/a');
    });

    it('copies one of two that arrive at the same time', async () => {
      open();
      const results = await Promise.allSettled([apply(fileEvent('folder/a')), apply(fileEvent('Folder/a'))]);
      const failed = results.filter((result) => result.status === 'rejected');
      expect(failed).toHaveLength(1);
      expect(failed[0]?.reason).toMatchObject({ kind: 'DATA', message: expect.stringContaining('are one file') });
      expect(read('folder/a')).toMatch(/^content of .older\/a$/);
    });

    it.each([
      ['after the first got its name', false],
      ['before the first got its name', true],
    ])('names the first, which is not recorded yet, when the second looks %s', async (_, looksFirst) => {
      const holds = new Map<string, { readonly held: Promise<void>; readonly arrive: () => void }>();
      const hold = (name: string, moment: Moment) => {
        let [release, arrive] = [() => undefined as void, () => undefined as void];
        const held = new Promise<void>((resolve) => (release = resolve));
        const arrived = new Promise<void>((resolve) => (arrive = resolve));
        holds.set(`${name} ${moment}`, { held, arrive });
        return { arrived, release };
      };
      changeStorages = (storages) =>
        pausing(storages, async (name, moment) => {
          const found = holds.get(`${name} ${moment}`);
          found?.arrive();
          await found?.held;
        });
      open();
      changeStorages = (storages) => storages;
      const [first, second] = [hold('folder/a', 'AFTER'), hold('Folder/a', 'BEFORE')];
      if (!looksFirst) second.release();
      const early = looksFirst ? apply(fileEvent('Folder/a')) : undefined;
      if (looksFirst) await second.arrived;
      const copied = apply(fileEvent('folder/a'));
      await first.arrived;
      second.release();
      await expect(early ?? apply(fileEvent('Folder/a'))).rejects.toMatchObject(refused);
      first.release();
      await copied;
      expect(read('folder/a')).toBe('content of folder/a');
    });
  });

  it('copies an empty file', async () => {
    open();
    write('empty', '');
    await apply(fileEvent('empty'));
    expect(read('empty')).toBe('');
  });

  it('removes the copies of a record that is deleted', async () => {
    open();
    write('a', 'x');
    await apply(fileEvent('a'));
    await apply(event('DELETE', `file://${source}/a`));
    expect(files()).toEqual([]);
    await apply(event('DELETE', `file://${source}/a`));
  });

  it.each(['unchanged', 'changed by a user'])(
    'recognises a copy after its state was lost, if it is %s',
    async (state) => {
      open();
      write('a', 'x');
      await apply(fileEvent('a'));
      close();
      rmSync(data, { recursive: true });
      open();
      const isChanged = state !== 'unchanged';
      if (isChanged) writeFileSync(join(target, 'a'), 'y');
      const deletion = apply(fileEvent('a', { action: 'DELETED' }));
      if (isChanged) await expect(deletion).rejects.toMatchObject(conflict);
      else await deletion;
      expect(files()).toEqual(isChanged ? ['a'] : []);
    },
  );

  it('takes over a file with the same content', async () => {
    open();
    write('a', 'x');
    const incoming = fileEvent('a');
    writeFileSync(join(target, 'a'), 'x');
    const { ino } = statSync(join(target, 'a'));
    await apply(incoming);
    expect(statSync(join(target, 'a')).ino).toBe(ino);
    write('a', 'longer');
    await apply(fileEvent('a', { action: 'UPDATED' }));
    expect(read('a')).toBe('longer');
  });

  describe('where a user works in the target folder', () => {
    const local = 'changed by a user';
    const change = (path: string): void => writeFileSync(join(target, path), local);

    it('neither replaces nor removes a file that the user changed, until the user moves it away', async () => {
      open();
      write('a', 'first');
      await apply(fileEvent('a'));
      change('a');
      write('a', 'second one');
      const incoming = fileEvent('a', { action: 'UPDATED' });
      await expect(apply(incoming)).rejects.toMatchObject({
        ...conflict,
        message: expect.stringContaining(`file://${target}/a was changed at the destination`),
      });
      await expect(apply(fileEvent('a', { action: 'DELETED' }))).rejects.toMatchObject(conflict);
      expect(read('a')).toBe(local);
      renameSync(join(target, 'a'), join(target, 'kept'));
      await apply(incoming);
      expect([read('a'), read('kept')]).toEqual(['second one', local]);
      expect(files()).toEqual(['a', 'kept']);
    });

    it('notices a change that keeps the length of the file', async () => {
      open();
      write('a', 'first');
      await apply(fileEvent('a'));
      writeFileSync(join(target, 'a'), 'local');
      write('a', 'third');
      await expect(apply(fileEvent('a', { action: 'UPDATED' }))).rejects.toMatchObject(conflict);
      expect(read('a')).toBe('local');
    });

    it.each(['file', 'symbolic link'])('does not replace a %s that the user created', async (kind) => {
      open();
      write('a', 'x');
      const outside = join(parent, `own-${count}`);
      writeFileSync(outside, local);
      if (kind === 'file') change('a');
      else symlinkSync(outside, join(target, 'a'));
      await expect(apply(fileEvent('a'))).rejects.toMatchObject({
        ...conflict,
        message: expect.stringContaining('did not write it'),
      });
      expect(read('a')).toBe(local);
    });

    it('continues after a restore gave the same content another time and inode', async () => {
      open();
      write('a', 'first');
      await apply(fileEvent('a'));
      writeFileSync(join(target, 'restored'), 'first');
      renameSync(join(target, 'restored'), join(target, 'a'));
      write('a', 'second one');
      await apply(fileEvent('a', { action: 'UPDATED' }));
      expect(read('a')).toBe('second one');
    });

    it('keeps a changed file when the record is deleted', async () => {
      open();
      write('a', 'first');
      await apply(fileEvent('a'));
      change('a');
      await expect(apply(event('DELETE', `file://${source}/a`))).rejects.toMatchObject(conflict);
      expect(read('a')).toBe(local);
    });
  });

  it('recognises a copy that got its name before a crash, even if the source has changed since', async () => {
    open();
    write('a', 'first');
    await apply(fileEvent('a'));
    write('a', 'second one');
    const incoming = fileEvent('a', { action: 'UPDATED' });
    const storages = openStorages(undefined);
    const [from, to, base] = [`${source}/a`, `${target}/a`, target].map((path) => parseLocation(path)) as [
      Location,
      Location,
      Location,
    ];
    // the process dies after the file got its name and before this is recorded
    const dying = {
      ...processing,
      made: () => {
        throw new Error('died');
      },
      end: () => undefined,
    };
    const { mark } = (await storages.of(to).stat(to, base)) ?? { mark: '' };
    const record = processing.lastWritten(`file://${target}/a`)?.record ?? '';
    const order = {
      from,
      within: [parseLocation(source)],
      to,
      base,
      replaced: { mark },
      made: { record, fingerprint: '10 x' },
    };
    await expect(copyFile(order, { storages, processing: dying, newUuid: randomUUID })).rejects.toThrow('died');
    expect(read('a')).toBe('second one');
    close();
    write('a', 'the third one');
    open();
    await removeLeftovers(processing, storages, (_, error) => {
      throw error;
    });
    expect(processing.underWay()).toEqual([]);
    await apply(incoming);
    expect(read('a')).toBe('the third one');
  });

  it('writes a file once when its event arrives twice, and again when the copy is missing', async () => {
    open();
    write('a', 'x');
    const incoming = fileEvent('a');
    await apply(incoming);
    const { ino } = statSync(join(target, 'a'));
    close();
    open();
    await apply(incoming);
    expect(statSync(join(target, 'a')).ino).toBe(ino);
    rmSync(join(target, 'a'));
    await apply(incoming);
    expect(read('a')).toBe('x');
  });

  it('copies a file to every destination whose filter matches its name', async () => {
    open(
      { allowRelativeUri: true, filterRegex: '.*\\.txt', rewriteRules: [{ findRegex: '^', replaceRegex: 'texts/' }] },
      [
        {
          allowRelativeUri: true,
          filterRegex: '.*\\.csv',
          rewriteRules: [{ findRegex: '^', replaceRegex: 'tables/' }],
        },
        { allowRelativeUri: true, filterRegex: 'a.*', rewriteRules: [{ findRegex: '^', replaceRegex: 'a/' }] },
      ],
    );
    for (const name of ['a.txt', 'b.csv', 'c.log']) {
      write(name, name);
      await apply(fileEvent(name));
    }
    expect(files()).toEqual(['a', 'a/a.txt', 'tables', 'tables/b.csv', 'texts', 'texts/a.txt']);
    await apply(fileEvent('a.txt', { action: 'DELETED' }));
    expect(files()).toEqual(['tables', 'tables/b.csv']);
  });

  describe('where a file becomes a folder, or a folder a file', () => {
    const inTheWay = { name: 'ApplyError', kind: 'DATA', retry: 'A_FEW_TIMES' };
    const remove = (path: string): Promise<unknown> => apply(fileEvent(path, { action: 'DELETED' }));

    it('follows in both directions, nested, also when the events arrive twice', async () => {
      open();
      write('c', 'file');
      await apply(fileEvent('c'));
      rmSync(join(source, 'c'));
      write('c/d/e', 'below');
      const toFolder = [fileEvent('c', { action: 'DELETED' }), fileEvent('c/d/e')];
      for (const one of toFolder) await apply(one);
      expect(files()).toEqual(['c', 'c/d', 'c/d/e']);
      close();
      open();
      for (const one of toFolder) await apply(one);
      expect(read('c/d/e')).toBe('below');
      rmSync(join(source, 'c'), { recursive: true });
      write('c', 'again a file');
      const toFile = [fileEvent('c/d/e', { action: 'DELETED' }), fileEvent('c')];
      for (const one of toFile) await apply(one);
      for (const one of toFile) await apply(one);
      expect(files()).toEqual(['c']);
      expect(read('c')).toBe('again a file');
      expect(processing.findFolder(`file://${target}/c`)).toBeUndefined();
    });

    it('tries again a few times when the deletion arrives later', async () => {
      open();
      write('c', 'file');
      write('e/f', 'below');
      await apply(fileEvent('c'));
      await apply(fileEvent('e/f'));
      rmSync(source, { recursive: true });
      write('c/d', 'below');
      write('e', 'file');
      const [below, file] = [fileEvent('c/d'), fileEvent('e')];
      await expect(apply(below)).rejects.toMatchObject({
        ...inTheWay,
        message: expect.stringContaining(`file://${target}/c is not a folder`),
      });
      await expect(apply(file)).rejects.toMatchObject({
        ...inTheWay,
        message: expect.stringContaining(`file://${target}/e is a folder`),
      });
      await remove('c');
      await remove('e/f');
      await apply(below);
      await apply(file);
      expect(files()).toEqual(['c', 'c/d', 'e']);
    });

    it('leaves no empty folders when a folder is renamed, and keeps those of the user', async () => {
      open();
      mkdirSync(join(target, 'kept'));
      mkdirSync(join(target, 'mixed/own'), { recursive: true });
      for (const path of ['sub dir/ö/a', 'kept/a', 'mixed/made/a', 'used/a']) write(path, path);
      for (const path of ['sub dir/ö/a', 'kept/a', 'mixed/made/a', 'used/a']) await apply(fileEvent(path));
      writeFileSync(join(target, 'used/own'), 'of the user');
      write('Sub Dir/ö/a', 'sub dir/ö/a');
      await apply(fileEvent('Sub Dir/ö/a'));
      for (const path of ['sub dir/ö/a', 'kept/a', 'mixed/made/a', 'used/a']) await remove(path);
      expect(files()).toEqual([
        'Sub Dir',
        'Sub Dir/ö',
        'Sub Dir/ö/a',
        'kept',
        'mixed',
        'mixed/own',
        'used',
        'used/own',
      ]);
    });

    it('does not remove a folder that the user made where the adaptor had made one', async () => {
      open();
      write('sub/a', 'x');
      await apply(fileEvent('sub/a'));
      rmSync(join(target, 'sub'), { recursive: true });
      mkdirSync(join(target, 'sub'));
      await remove('sub/a');
      expect(files()).toEqual(['sub']);
      write('sub/b', 'x');
      await apply(fileEvent('sub/b'));
      await remove('sub/b');
      expect(files()).toEqual(['sub']);
    });

    it('does not replace a folder with content of the user', async () => {
      open();
      write('e/f', 'below');
      await apply(fileEvent('e/f'));
      writeFileSync(join(target, 'e/own'), 'of the user');
      rmSync(join(source, 'e'), { recursive: true });
      write('e', 'file');
      await remove('e/f');
      await expect(apply(fileEvent('e'))).rejects.toMatchObject(inTheWay);
      expect(files()).toEqual(['e', 'e/own']);
      rmSync(join(target, 'e/own'));
      await apply(fileEvent('e'));
      expect(read('e')).toBe('file');
    });

    it.each(['made', 'removed'])('continues after the process died when a folder was %s', async (moment) => {
      open();
      write('e/f', 'below');
      const incoming = fileEvent('e/f');
      await apply(incoming);
      rmSync(join(source, 'e/f'));
      const deletion = fileEvent('e/f', { action: 'DELETED' });
      const uri = `file://${target}/e`;
      if (moment === 'made') {
        // the mark of the folder was not stored
        processing.makingFolder(uri, Number(statSync(join(target, 'e'), { bigint: true }).birthtimeMs));
        close();
        open();
        await apply(incoming);
      } else rmSync(join(target, 'e/f'));
      await apply(deletion);
      expect(files()).toEqual([]);
      expect(processing.findFolder(uri)).toBeUndefined();
    });

    it('does not take a folder of the user for one that it began to make long before', async () => {
      open();
      mkdirSync(join(target, 'e'));
      processing.makingFolder(`file://${target}/e`, Date.now() - 60_000);
      write('e/f', 'below');
      await apply(fileEvent('e/f'));
      await remove('e/f');
      expect(files()).toEqual(['e']);
    });

    it('removes the folders of a copy that fails', async () => {
      open();
      const storages = openStorages(undefined, processing);
      const [to, base] = [parseLocation(`${target}/x/y/f`), parseLocation(target)];
      const pending = await storages.of(to).begin(to, base, randomUUID());
      expect(files()).toEqual(['x', 'x/y']);
      // the folder is needed, so a deletion next to the copy leaves it
      await storages.of(to).prune(parseLocation(`${target}/x/y`), base);
      expect(files()).toEqual(['x', 'x/y']);
      await pending.discard();
      expect(files()).toEqual([]);
    });

    it('copies and removes files of the same folders at the same time', async () => {
      open();
      const paths = Array.from({ length: 16 }, (_, index) => `deep/${index % 4}/${index}`);
      for (let round = 0; round < 5; round += 1) {
        for (const path of paths) write(path, 'x');
        const again = async (path: string): Promise<void> => {
          await remove(path);
          await apply(fileEvent(path));
        };
        await Promise.all(paths.map((path) => apply(fileEvent(path))));
        await Promise.all(paths.map((path, index) => (index < 8 ? remove(path) : again(path))));
        expect(files().filter((path) => path.split('/').length === 3)).toHaveLength(8);
        await Promise.all(paths.slice(8).map(remove));
        expect(files()).toEqual([]);
      }
    });
  });

  it('keeps a copy that another file has replaced when the first file is deleted', async () => {
    open({ allowRelativeUri: true, rewriteRules: [{ findRegex: '.*/', replaceRegex: '' }] });
    write('one/a', 'one');
    write('two/a', 'two');
    await apply(fileEvent('one/a'));
    await apply(fileEvent('two/a'));
    await apply(fileEvent('one/a', { action: 'DELETED' }));
    expect(read('a')).toBe('two');
  });

  it('reads the intermediate copy if there is one', async () => {
    open();
    write('intermediate/a', 'copy');
    await apply(
      fileEvent('a', {
        sourceUri: 'file:///elsewhere/a',
        intermediateUri: `file://${source}/intermediate/a`,
        contentLength: 4,
      }),
    );
    expect(read('a')).toBe('copy');
  });

  it.each<[string, JsonObject, string, string]>([
    ['a source outside sourceUris', { sourceUri: 'file:///etc/hostname' }, 'CONFIGURATION', 'NEVER'],
    ['a source path with .. that leaves the folders', { sourceUri: 'SOURCE/../x' }, 'CONFIGURATION', 'NEVER'],
    ['a source behind a symbolic link', { sourceUri: 'SOURCE/link' }, 'DATA', 'NEVER'],
    ['a source that no longer exists', { sourceUri: 'SOURCE/gone' }, 'DATA', 'A_FEW_TIMES'],
    ['a destination that leads out of its base', { destinationUri: '../x' }, 'DATA', 'NEVER'],
    ['a destination in another folder', { destinationUri: 'file:///tmp/x' }, 'DATA', 'NEVER'],
    ['no destination', { destinationUri: null }, 'DATA', 'NEVER'],
    ['an unknown action', { action: 'MOVED' }, 'DATA', 'NEVER'],
  ])('refuses %s', async (_, json, kind, retry) => {
    open();
    write('a', 'x');
    symlinkSync('/etc/hostname', join(source, 'link'));
    const given = Object.fromEntries(
      Object.entries(json).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replace('SOURCE', `file://${source}`) : value,
      ]),
    );
    await expect(apply(fileEvent('a', given))).rejects.toMatchObject({ name: 'ApplyError', kind, retry });
    expect(files()).toEqual([]);
  });

  it('serves the other targets while one is not available, also for the same file', async () => {
    const away = join(parent, `away-${count}`);
    open({ allowRelativeUri: true }, [{ allowRelativeUri: true, filterRegex: 'both.*', baseUri: `file://${away}` }]);
    for (const name of ['both', 'both too', 'one']) write(name, name);
    for (const name of ['both', 'both too'])
      await expect(apply(fileEvent(name))).rejects.toMatchObject({
        retry: 'UNTIL_IT_WORKS',
        waitsFor: `file://${away}`,
      });
    await apply(fileEvent('one'));
    expect(files()).toEqual(['both', 'both too', 'one']);
    expect(role.health()).toEqual({ 'file:1': 'DOWN' });
    expect([...recording.faults]).toEqual([
      [`file://${away}`, { source: `file://${away}`, reason: expect.stringContaining('ENOENT') }],
    ]);
    mkdirSync(away);
    await eventually(() => apply(fileEvent('both')));
    await apply(fileEvent('both too'));
    expect(readdirSync(away).toSorted()).toEqual(['both', 'both too']);
    expect(role.health()).toEqual({ 'file:1': 'UP' });
    expect(recording.faults.size).toBe(0);
  });

  it('waits for a source folder that is not available', async () => {
    open();
    write('a', 'x');
    const incoming = fileEvent('a');
    renameSync(source, `${source}-away`);
    await expect(apply(incoming)).rejects.toMatchObject({ retry: 'UNTIL_IT_WORKS', waitsFor: `file://${source}` });
    expect(recording.faults.get(`file://${source}`)).toMatchObject({ state: 'ERROR' });
    renameSync(`${source}-away`, source);
    await apply(incoming);
    expect(recording.faults.size).toBe(0);
  });

  it('clears its faults when its configuration is replaced', async () => {
    open();
    write('a', 'x');
    rmSync(target, { recursive: true });
    await expect(apply(fileEvent('a'))).rejects.toThrow('cannot be reached');
    role.close();
    expect(recording.faults.size).toBe(0);
  });

  it('waits for a target that is not available, is DOWN in the meantime, and reports it once', async () => {
    open();
    write('a', 'x');
    rmSync(target, { recursive: true });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(apply(fileEvent('a'))).rejects.toMatchObject({
        kind: 'SOURCE',
        retry: 'UNTIL_IT_WORKS',
        waitsFor: `file://${target}`,
      });
    }
    expect(role.health()).toEqual({ 'file:1': 'DOWN' });
    expect(recording.faults.get(`file://${target}`)).toMatchObject({ state: 'ERROR' });
    mkdirSync(target);
    await eventually(() => apply(fileEvent('a')));
    expect(role.health()).toEqual({ 'file:1': 'UP' });
    expect(recording.faults.size).toBe(0);
  });
});
