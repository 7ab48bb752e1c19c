import { CreateMultipartUploadCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openHub } from '@fds/adaptor-sdk/testing';
import { eventually } from '@fds/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { fileModel } from '../../testing/file-model.js';
import { type MultipartStorage, openMultipartStorage } from '../../testing/multipart-storage.js';
import { parseLocation } from '../../uris/location.js';
import { openStorages } from '../open-storages.js';
import { createS3Storage } from './s3-storage.js';

const region = 'eu-central-1';
const [accessKeyId, secretAccessKey] = ['key', 'secret'];
const program = fileURLToPath(new URL('../../../bin/fds-file-system-adaptor.mjs', import.meta.url));

let objects: FauxqsServer;
let server: MultipartStorage;
let client: S3Client;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fds-s3-crash-'));
  objects = await startFauxqs({ port: 0, logger: false, init: { region, buckets: ['files'] } });
  server = await openMultipartStorage(objects.port);
  const credentials = { accessKeyId, secretAccessKey };
  client = new S3Client({ region, endpoint: server.endpoint, forcePathStyle: true, credentials });
});
afterEach(async () => {
  client.destroy();
  await server.close();
  await objects.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('uploads that a crash interrupted', () => {
  it('are aborted on every page of the list, and uploads of other objects continue', async () => {
    const begin = (key: string): Promise<unknown> =>
      client.send(new CreateMultipartUploadCommand({ Bucket: 'files', Key: key }));
    const keys = ['copies/a', 'copies/a', 'copies/a', 'copies/a', 'copies/a', 'copies/a.b', 'copies/a/b', 'copies/b'];
    for (const key of keys) await begin(key);
    const storages = openStorages(createS3Storage({ region, accessKeyId, secretAccessKey, endpoint: server.endpoint }));
    const [target, base] = [parseLocation('s3://files/copies/a'), parseLocation('s3://files/copies')];
    await storages.of(target).discardLeftover(target, base, randomUUID());
    expect(server.uploads.map(({ key }) => key).toSorted()).toEqual(['copies/a.b', 'copies/a/b', 'copies/b']);
    expect(server.pages).toBe(4);
    await storages.of(target).discardLeftover(target, base, randomUUID());
    expect(server.uploads).toHaveLength(3);
    await storages.close();
  });

  it('are aborted at the next start after kill -9; then the intermediate copy is made and its event is sent once', async () => {
    mkdirSync(join(folder, 'in'));
    const content = randomBytes(20_000_000);
    writeFileSync(join(folder, 'in/large file'), content);
    const hub = await openHub({
      capabilities: ['POST', 'PUT'].map((action) => ({ domainName: 'file', versionNumber: 1, action })),
      domainVersions: [
        {
          domain: 'file',
          version: 1,
          domainVersionUuid: randomUUID(),
          drKeyProperties: ['adaptorUuid', 'sourceUri'],
          modelSchema: fileModel,
        },
      ],
      metadata: {
        type: 'source',
        scanIntervalSeconds: 1,
        paths: [
          {
            domain: 'file',
            version: '1',
            uri: `file://${folder}/in`,
            writeToIntermediate: true,
            baseIntermediateUri: 's3://files/exchange',
          },
        ],
      },
      patienceMs: 30_000,
    });
    const started: ChildProcess[] = [];
    const start = (): ChildProcess => {
      const adaptor = spawn(process.execPath, [program], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          ADAPTOR_UUID: hub.adaptorUuid,
          CLIENT_ID: hub.adaptorUuid,
          CLIENT_SECRET: hub.secret,
          MESSAGE_BUS_URL: hub.url,
          AUTH_SERVER_URL: 'http://127.0.0.1:9',
          HOSTNAME: '127.0.0.1',
          PORT: '0',
          DATA_DIRECTORY: join(folder, 'state'),
          CLOUD_REGION: region,
          CLOUD_ACCESS_KEY_ID: accessKeyId,
          CLOUD_SECRET_ACCESS_KEY: secretAccessKey,
          CLOUD_ENDPOINT: server.endpoint,
        },
        stdio: 'ignore',
      });
      started.push(adaptor);
      return adaptor;
    };
    const kill = async (adaptor: ChildProcess): Promise<void> => {
      if (adaptor.exitCode !== null || adaptor.signalCode !== null) return;
      const exited = once(adaptor, 'exit');
      adaptor.kill('SIGKILL');
      await exited;
    };
    try {
      server.holdsParts = true;
      const first = start();
      await eventually(() => expect(server.parts).toBeGreaterThan(0));
      await kill(first);
      const interrupted = server.uploads.map(({ id }) => id);
      expect([interrupted.length, hub.heard.events.length]).toEqual([1, 0]);
      server.holdsParts = false;
      start();
      await eventually(() => expect(hub.heard.events).toHaveLength(1));
      expect(hub.heard.events[0]?.event).toMatchObject({ domain: 'file', action: expect.stringMatching(/POST|PUT/) });
      const { Body: body } = await client.send(new GetObjectCommand({ Bucket: 'files', Key: 'exchange/large file' }));
      expect(Buffer.from((await body?.transformToByteArray()) ?? []).equals(content)).toBe(true);
      expect([server.uploads, server.pages]).toEqual([[], 1]);
    } finally {
      for (const adaptor of started) await kill(adaptor);
      await hub.close();
    }
  }, 120_000);
});
