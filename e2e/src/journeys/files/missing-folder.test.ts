import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { setUpDoors } from '../../doors/set-up-doors.js';
import { startAdaptorProcess } from '../../harness/adaptor-process.js';
import { createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { eventCapabilities, fileAdaptorScript, fileProperties } from './run-file-journey.js';

const { doors, leftovers } = setUpDoors();

/** A module for the start of a process: it writes a byte to a file each time that the process opens a folder. */
const countLooks = (folder: string, file: string): string => `
import { appendFileSync, promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { open } = promises;
promises.open = (path, ...more) => {
  if (path === ${JSON.stringify(folder)}) appendFileSync(${JSON.stringify(file)}, '.');
  return open(path, ...more);
};
syncBuiltinESMExports();
`;

const domains = Array.from({ length: 6 }, (_, index) => `files-${index}`);
const [away = '', busy = ''] = domains;
const [waiting, files] = [100, 500];

it('a missing folder of one of six domains is looked at a few times, and costs the others no place', async () => {
  const { service, dgs: client, root: zone } = doors;
  const folder = mkdtempSync(join(tmpdir(), 'fds-missing-folder-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const place = (...names: readonly string[]): string => join(folder, ...names);
  const write = (domain: string, count: number): void => {
    for (let index = 0; index < count; index += 1) writeFileSync(place('from', domain, String(index)), 'x');
  };
  for (const domain of domains) {
    mkdirSync(place('from', domain), { recursive: true });
    if (domain !== away) mkdirSync(place('to', domain), { recursive: true });
    await createVersion(client, {
      name: domain,
      domainType: 'FEDERATED',
      properties: fileProperties,
      drKeyProperties: ['adaptorUuid', 'sourceUri'],
    });
  }
  const capabilities = domains.flatMap((domain) => eventCapabilities(domain));
  const source = await createAdaptor(client, zone, {
    name: 'Source of six domains',
    capabilities,
    metadata: {
      type: 'source',
      scanIntervalSeconds: 1,
      paths: domains.map((domain) => ({ domain, version: '1', uri: `file://${place('from', domain)}` })),
    },
  });
  const destination = await createAdaptor(client, zone, {
    name: 'Destination of six domains',
    capabilities,
    metadata: {
      type: 'destination',
      sourceUris: [`file://${place('from')}`],
      destinations: domains.map((domain) => ({
        domain,
        version: '1',
        destinations: [{ baseUri: `file://${place('to', domain)}`, allowRelativeUri: true }],
      })),
    },
  });

  const destinationProcess = await startAdaptorProcess(leftovers, service, destination, { script: fileAdaptorScript });
  await destinationProcess.kill();
  const [probe, found] = [place('count-looks.mjs'), place('looks')];
  writeFileSync(found, '');
  writeFileSync(probe, countLooks(place('to', away), found));
  destinationProcess.start({ preload: probe });
  /** Looks at the missing folder: each attempt to apply an event begins with one. */
  const looks = (): number => readFileSync(found).length;

  const stateMessage = async (): Promise<string | null> => {
    const path = `/zones/${zone}/adaptors/${destination.uuid}`;
    return requireStatus(await client.rest<{ stateMessage: string | null }>('GET', path), 200).body.stateMessage;
  };
  const copied = (domain: string): number => readdirSync(place('to', domain)).length;

  // the events that have to wait are in front of the others
  write(away, waiting);
  const beganAtMs = performance.now();
  await startAdaptorProcess(leftovers, service, source, { script: fileAdaptorScript });
  await eventually(async () => expect(await stateMessage()).toContain(`to/${away}`), { deadlineMs: 30_000 });
  for (const domain of domains.slice(2)) write(domain, 20);
  write(busy, files);
  await eventually(() => expect(domains.slice(1).map(copied)).toEqual([files, 20, 20, 20, 20]), {
    deadlineMs: 60_000,
    intervalMs: 250,
  });
  // each event is tried once, and then the folder is probed with one of them after delays of 0.2 s, 0.4 s and so on
  const mostProbes = Math.ceil(Math.log2((performance.now() - beganAtMs) / 200 + 1));
  expect(looks()).toBeGreaterThan(0);
  expect(looks()).toBeLessThanOrEqual(waiting + mostProbes);

  mkdirSync(place('to', away));
  await eventually(() => expect(copied(away)).toBe(waiting), { deadlineMs: 60_000, intervalMs: 250 });
  await eventually(async () => expect(await stateMessage()).toBeNull(), { deadlineMs: 30_000 });
  const open = await client.rest<{ _page: { totalElements: number } }>(
    'GET',
    `/zones/${zone}/issues?filters=status:OPEN&size=1`,
  );
  expect(requireStatus(open, 200).body._page.totalElements).toBe(0);
}, 240_000);
