import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { startAdaptorProcess } from '../../harness/adaptor-process.js';
import { createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { freePort } from '../../harness/free-port.js';
import { createLeftovers } from '../../harness/leftovers.js';
import {
  eventCapabilities,
  fileAdaptorScript,
  fileProperties,
  type FileStage,
  openFileStage,
  runFileJourney,
} from './run-file-journey.js';

describe('file-system adaptors', () => {
  const leftovers = createLeftovers();
  let stage: FileStage;
  beforeAll(async () => {
    stage = await openFileStage(leftovers);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it('copy every file while they are killed, with one event for each new file and one record for each file', async () => {
    const journey = {
      files: 200,
      kills: 2,
      victims: ['SOURCE', 'DESTINATION'],
      seed: 4711,
      deadlineMs: 60_000,
    } as const;
    const result = await runFileJourney(leftovers, stage, journey);
    expect(result).toMatchObject({ firstEvents: 200, kills: { SOURCE: 2, DESTINATION: 2 }, records: result.files });
  }, 180_000);

  it('report an unsuitable domain in one message, and nothing else', async () => {
    const { service, client, zone } = stage;
    const { contentLength: _, ...properties } = fileProperties;
    await createVersion(client, {
      name: 'other-file',
      domainType: 'FEDERATED',
      properties,
      drKeyProperties: ['sourceUri'],
    });
    const adaptor = await createAdaptor(client, zone, {
      name: 'Files of a wrong domain',
      capabilities: eventCapabilities('other-file'),
      metadata: { type: 'source', paths: [{ domain: 'other-file', version: '1', uri: 'file:///tmp' }] },
    });
    const port = await freePort();
    const running = await startAdaptorProcess(leftovers, service, adaptor, {
      script: fileAdaptorScript,
      environment: () => ({ PORT: String(port) }),
    });
    await eventually(async () => {
      const path = `/zones/${zone}/adaptors/${adaptor.uuid}`;
      const { body } = requireStatus(
        await client.rest<{ state: string; stateMessage: string | null }>('GET', path),
        200,
      );
      expect(body).toMatchObject({
        state: 'ERROR',
        stateMessage:
          'the configuration is not valid: metadata/paths/0 (other-file:1): the DR Key properties must be exactly ' +
          'adaptorUuid and sourceUri; metadata/paths/0 (other-file:1): the property contentLength (integer) is missing',
      });
    });
    const health = await fetch(`http://localhost:${port}/health`);
    expect([health.status, await health.json()]).toMatchObject([503, { status: 'DOWN', adaptorService: 'DOWN' }]);
    // a line for each state
    expect(running.process().output().trim().split('\n').length).toBeLessThan(10);
  }, 120_000);
});
