import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { parseFileSystemMetadata } from '../../configuration/file-system-metadata.js';
import type { Filter } from '../../filters/filter.js';
import { createSourceRole } from '../../source/source-role.js';
import { openMonitoringState } from '../../state/monitoring-state.js';
import { openProcessingState, type ProcessingState } from '../../state/processing-state.js';
import { openMultipartStorage } from '../../testing/multipart-storage.js';
import { createRecordingAdaptor, type RecordingAdaptor } from '../../testing/recording-adaptor.js';
import { copyFile, type CopyTools } from '../../transfer/copy-file.js';
import { parseLocation } from '../../uris/location.js';
import { openStorages, type Storages } from '../open-storages.js';
import type { Storage } from '../storage.js';
import type { Replaced } from '../storage.js';
import type { StorageFaultKind } from '../storage-fault.js';
import { listObjects } from './list-objects.js';
import { createS3Storage } from './s3-storage.js';

const folder = mkdtempSync(join(tmpdir(), 'fds-s3-'));
const region = 'eu-central-1';
const [accessKeyId, secretAccessKey] = ['key', 'secret'];
let server: FauxqsServer;
let client: S3Client;
let storages: Storages;
let storage: Storage;
let processing: ProcessingState;
let tools: CopyTools;

const put = (key: string, content: string | Buffer): Promise<unknown> =>
  client.send(new PutObjectCommand({ Bucket: 'files', Key: key, Body: content }));
const scan = async (uri: string, filter?: Filter) => {
  const files: string[] = [];
  const unreadable: string[] = [];
  for await (const batch of storage.scan(parseLocation(uri), filter, new AbortController().signal)) {
    files.push(...batch.files.map(({ path, size }) => `${path} ${size}`));
    unreadable.push(...batch.unreadable.map(({ path }) => path));
  }
  return { files: files.toSorted(), unreadable };
};
const copy = (from: string, to: string): Promise<unknown> => {
  const [source, target] = [parseLocation(from), parseLocation(to)];
  return copyFile(
    {
      from: source,
      within: [{ ...source, segments: source.segments.slice(0, -1) }],
      to: target,
      base: { ...target, segments: [] },
      replaced: 'ANY',
    },
    tools,
  );
};
const refusedAs = (kind: StorageFaultKind): unknown => expect.objectContaining({ name: 'StorageFault', kind });

beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false, init: { region, buckets: ['files', 'copies'] } });
  const endpoint = `http://127.0.0.1:${server.port}`;
  client = new S3Client({ region, endpoint, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  storages = openStorages(createS3Storage({ region, accessKeyId, secretAccessKey, endpoint }));
  storage = storages.of(parseLocation('s3://files'));
  processing = openProcessingState(join(folder, 'state'), 'processing');
  tools = { storages, processing, newUuid: randomUUID };
});

afterAll(async () => {
  await storages.close();
  client.destroy();
  processing.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('an S3-compatible storage', () => {
  it('lists every object below a prefix in several pages, and applies the filter to folders too', async () => {
    const keys = Array.from({ length: 95 }, (_, index) => `list/${index % 5}/${index}.txt`);
    await Promise.all(keys.map((key) => put(key, 'x')));
    await put('list2/other', 'x');
    await put('list/empty folder/', Buffer.alloc(0));
    const pages: number[] = [];
    const signal = new AbortController().signal;
    for await (const { files } of listObjects(client, parseLocation('s3://files/list'), undefined, signal, 10)) {
      pages.push(files.length);
    }
    expect([pages.length, pages.reduce((sum, count) => sum + count, 0)]).toEqual([10, 95]);
    expect((await scan('s3://files/list')).files).toEqual(keys.map((key) => `${key.slice(5)} 1`).toSorted());
    const only: Filter = {
      type: 'OR',
      children: [
        { type: 'REGEX', value: '[12]' },
        { type: 'AND', children: [{ type: 'IS_FILE' }, { type: 'SUFFIX', value: '1.txt' }] },
      ],
    };
    expect((await scan('s3://files/list', only)).files).toEqual(
      keys
        .filter((key) => /^list\/[12]\/\d*1\.txt$/.test(key))
        .map((key) => `${key.slice(5)} 1`)
        .toSorted(),
    );
  });

  it('reports keys that cannot be monitored', async () => {
    await put('odd/a//b', 'x');
    await put('odd/100%', 'x');
    await put('odd/a b#?&é.txt', 'x');
    const { files, unreadable } = await scan('s3://files/odd');
    expect([files, unreadable.toSorted()]).toEqual([['a b#?&é.txt 1'], ['100%', 'a//b']]);
  });

  it.each([
    ['an empty file', 0],
    ['a small file', 1_000],
    ['a file of several parts', 9_000_000],
  ])('copies %s from disk to storage, to another bucket, and back to disk', async (_, size) => {
    const content = randomBytes(size);
    const name = `a b#é ${size}`;
    const back = join(folder, 'back');
    mkdirSync(back, { recursive: true });
    writeFileSync(join(folder, name), content);
    await copy(`file://${folder}/${name}`, `s3://files/up/${name}`);
    await copy(`s3://files/up/${name}`, `s3://copies/deep/er/${name}`);
    await copy(`s3://copies/deep/er/${name}`, `file://${back}/${name}`);
    const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    expect(digest(readFileSync(join(back, name)))).toBe(digest(content));
    expect(await storage.stat(parseLocation(`s3://files/up/${name}`), parseLocation('s3://files'))).toMatchObject({
      size,
    });
    expect(processing.underWay()).toEqual([]);
  });

  it('shows no object when the file changes while it is read', async () => {
    const path = join(folder, 'changing');
    writeFileSync(path, 'before');
    const target = parseLocation('s3://files/changing');
    const local = storages.of(parseLocation(path));
    const file = await local.open(parseLocation(path), [parseLocation(folder)]);
    appendFileSync(path, 'after');
    const pending = await storage.begin(target, parseLocation('s3://files'), randomUUID());
    await pending.fill(file);
    await expect(pending.commit('ANY')).rejects.toEqual(refusedAs('CHANGED'));
    await file.close();
    expect(await storage.stat(target, parseLocation('s3://files'))).toBeUndefined();
  });

  it('removes an object; a second removal does nothing', async () => {
    await put('gone', 'x');
    const [target, base] = [parseLocation('s3://files/gone'), parseLocation('s3://files')];
    await storage.remove(target, base, 'ANY');
    await storage.remove(target, base, 'ANY');
    expect(await storage.stat(target, parseLocation('s3://files'))).toBeUndefined();
  });

  it('distinguishes a missing bucket from a missing object', async () => {
    await expect(scan('s3://no-such-bucket/x')).rejects.toEqual(refusedAs('AWAY'));
    const gone = parseLocation('s3://files/never');
    await expect(storage.open(gone, [parseLocation('s3://files')])).rejects.toEqual(refusedAs('GONE'));
    await expect(storage.open(gone, [parseLocation('s3://copies')])).rejects.toEqual(refusedAs('UNFIT'));
  });

  it('replaces and removes only what it expects, and knows its own copy by its token', async () => {
    const [target, base] = [parseLocation('s3://copies/own'), parseLocation('s3://copies')];
    const path = join(folder, 'own');
    writeFileSync(path, 'first');
    const copyOver = async (replaced: Replaced): Promise<string> => {
      const token = randomUUID();
      const file = await storages.of(parseLocation(path)).open(parseLocation(path), [parseLocation(folder)]);
      const pending = await storage.begin(target, base, token);
      await pending.fill(file);
      try {
        await pending.commit(replaced);
      } finally {
        await file.close();
      }
      return token;
    };
    const token = await copyOver('ABSENT');
    await expect(copyOver('ABSENT')).rejects.toEqual(refusedAs('FOREIGN'));
    const entry = await storage.committed(target, base, token, undefined);
    expect(entry).toMatchObject({ size: 5, isFile: true });
    const mark = entry?.mark ?? '';
    await client.send(new PutObjectCommand({ Bucket: 'copies', Key: 'own', Body: 'local' }));
    expect(await storage.committed(target, base, token, undefined)).toBeUndefined();
    await expect(copyOver({ mark })).rejects.toEqual(refusedAs('FOREIGN'));
    await expect(storage.remove(target, base, { mark })).rejects.toEqual(refusedAs('FOREIGN'));
    expect((await storage.stat(target, base))?.size).toBe(5);
  });

  describe('that is monitored by a source', () => {
    const monitored = async (
      name: string,
      copying: CopyTools,
      work: (told: (...events: readonly string[]) => Promise<RecordingAdaptor>) => Promise<void>,
    ): Promise<void> => {
      const recording = createRecordingAdaptor(randomUUID());
      const monitoring = openMonitoringState(join(folder, 'state'), name);
      const metadata = parseFileSystemMetadata({
        type: 'source',
        scanIntervalSeconds: 1,
        paths: [{ domain: 'file', version: 1, uri: `s3://files/${name}` }],
      });
      if (metadata.type !== 'source') throw new Error('no source');
      const role = createSourceRole(recording.adaptor, metadata, {
        monitoring,
        copying,
        configuration: { metadata: {}, capabilities: [], domainVersions: [], discoveryMode: false },
      });
      await role.play?.();
      try {
        await work(async (...told) => {
          const end = Date.now() + 10_000;
          while (recording.events.length < told.length && Date.now() < end) {
            void role.refreshState?.();
            await sleep(10);
          }
          expect(recording.tell('')).toEqual(told.map((one) => one.replace(' ', ` s3://files/${name}/`)));
          return recording;
        });
      } finally {
        await role.pause?.();
        monitoring.close();
      }
    };

    it('is reported: new, changed and removed objects', async () => {
      await put('watched/a b', 'x');
      await monitored('watched', tools, async (told) => {
        await told('NEW a b');
        await put('watched/a b', 'longer');
        await told('NEW a b', 'UPDATED a b');
        await storage.remove(parseLocation('s3://files/watched/a b'), parseLocation('s3://files'), 'ANY');
        const { events } = await told('NEW a b', 'UPDATED a b', 'DELETED a b');
        expect(events[1]?.json).toMatchObject({ destinationUri: 'a b', contentLength: 6 });
      });
    });

    it('is reported: an object with another content of the same length in the same second, once', async () => {
      const seconds = await openMultipartStorage(server.port);
      seconds.hidesTimes = true;
      const opened = openStorages(
        createS3Storage({ region, accessKeyId, secretAccessKey, endpoint: seconds.endpoint }),
      );
      await put('second/a', 'first');
      try {
        await monitored('second', { ...tools, storages: opened }, async (told) => {
          await told('NEW a');
          await put('second/a', 'other');
          const { events } = await told('NEW a', 'UPDATED a');
          const digest = createHash('sha256').update('other').digest('hex');
          expect(events[1]?.json?.['additionalParameters']).toContainEqual({ key: 'sha256', value: digest });
          await put('second/b', 'x');
          await told('NEW a', 'UPDATED a', 'NEW b');
        });
      } finally {
        await opened.close();
        await seconds.close();
      }
    });
  });

  it('requires its settings', () => {
    expect(() => openStorages(undefined).of(parseLocation('s3://files'))).toThrow('CLOUD_REGION');
  });
});
