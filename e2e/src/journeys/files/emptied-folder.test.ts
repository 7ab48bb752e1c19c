import { mkdirSync, mkdtempSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { setUpDoors } from '../../doors/set-up-doors.js';
import { startAdaptorProcess } from '../../harness/adaptor-process.js';
import { createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { publishedBy } from '../../harness/published-by.js';
import { readTree } from './file-tree.js';
import { eventCapabilities, fileAdaptorScript, fileProperties } from './run-file-journey.js';

const { doors, leftovers } = setUpDoors();

interface Shown {
  readonly state: string;
  readonly stateMessage: string | null;
  readonly changeVersion: number;
}

const files = 250;
const patience = { deadlineMs: 60_000, intervalMs: 250 };

it('a folder that is emptied, or replaced by an empty one, deletes nothing elsewhere until it is decided', async () => {
  const { service, dgs: client, root: zone } = doors;
  const folder = mkdtempSync(join(tmpdir(), 'fds-emptied-folder-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to, aside] = ['from', 'to', 'aside'].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(join(from, 'data'), { recursive: true });
  mkdirSync(to);
  for (let index = 0; index < files; index += 1) writeFileSync(join(from, 'data', String(index)), 'x');
  await createVersion(client, {
    name: 'file',
    domainType: 'FEDERATED',
    properties: fileProperties,
    drKeyProperties: ['adaptorUuid', 'sourceUri'],
  });
  const capabilities = eventCapabilities('file');
  const paths = [{ domain: 'file', version: '1', uri: `file://${from}` }];
  const source = await createAdaptor(client, zone, {
    name: 'Source',
    capabilities,
    metadata: { type: 'source', scanIntervalSeconds: 1, paths },
  });
  const destination = await createAdaptor(client, zone, {
    name: 'Destination',
    capabilities,
    metadata: {
      type: 'destination',
      sourceUris: [`file://${from}`],
      destinations: [
        { domain: 'file', version: '1', destinations: [{ baseUri: `file://${to}`, allowRelativeUri: true }] },
      ],
    },
  });
  for (const adaptor of [destination, source])
    await startAdaptorProcess(leftovers, service, adaptor, { script: fileAdaptorScript });

  const path = `/zones/${zone}/adaptors/${source.uuid}`;
  const shown = async (): Promise<Shown> => requireStatus(await client.rest<Shown>('GET', path), 200).body;
  const untilShown = (expected: object): Promise<void> =>
    eventually(async () => expect(await shown()).toMatchObject(expected), patience);
  const untilCopied = (count: number): Promise<void> =>
    eventually(() => expect(readTree(to).size).toBe(count), patience);
  /** The source has published this many events, and the destination has this many files. */
  const expectStill = async (count: number): Promise<void> => {
    expect(await publishedBy(client, zone, source.uuid)).toBe(count);
    expect(readTree(to).size).toBe(count);
  };
  const works = { state: 'STARTED', stateMessage: null };

  await untilCopied(files);
  renameSync(join(from, 'data'), aside);
  await untilShown({
    state: 'STARTED',
    stateMessage: expect.stringMatching(/250 of 250 files of .* are missing\. .*deletionLimit/),
  });
  // other files go on
  writeFileSync(join(from, 'new'), 'x');
  await untilCopied(files + 1);
  await expectStill(files + 1);
  renameSync(aside, join(from, 'data'));
  await untilShown(works);
  await expectStill(files + 1);

  // as a mount that is missing
  renameSync(from, aside);
  mkdirSync(from);
  await untilShown({ state: 'ERROR', stateMessage: expect.stringContaining('sourceChanged') });
  await expectStill(files + 1);
  rmdirSync(from);
  renameSync(aside, from);
  await untilShown(works);
  await expectStill(files + 1);
  const issues = await client.rest<{ _page: { totalElements: number } }>('GET', `/zones/${zone}/issues?size=1`);
  expect(requireStatus(issues, 200).body._page.totalElements).toBe(0);

  rmSync(join(from, 'data'), { recursive: true });
  await untilShown({ stateMessage: expect.stringContaining('are missing') });
  await expectStill(files + 1);
  const { changeVersion } = await shown();
  requireStatus(await client.rest('PATCH', path, { deletionLimit: null, changeVersion }), 200);
  await untilCopied(1);
  await untilShown(works);
}, 300_000);
