import { setTimeout as wait } from 'node:timers/promises';
import { stringifyJson } from '@fds/json';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure } from '../failure.js';
import { printRows } from '../print-rows.js';
import { Names, textOf, type Named, type Resource } from '@fds/rest-facade/configuration';

export interface ReconcileOptions {
  readonly domainVersion?: string;
  readonly send?: boolean;
  readonly values: string;
  readonly missingHere: string;
  readonly missingThere: string;
  readonly wait: boolean;
  readonly json?: boolean;
}

const pollMs = 500;
const barWidth = 30;

const countNames = ['examined', 'equal', 'differing', 'missingHere', 'missingThere', 'unreadable', 'sent'] as const;

/** A bar on a terminal only: a file or a pipe gets the result alone. */
const showProgress = (label: string, progress: number): void => {
  if (!process.stderr.isTTY) return;
  const done = Math.round(progress * barWidth);
  process.stderr.write(
    `\r${label} [${'#'.repeat(done)}${' '.repeat(barWidth - done)}] ${Math.floor(progress * 100)} %`,
  );
};

const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\n');
};

/** The version that is named; without a name, all versions that the adaptor has a capability for. */
const versionsOf = async (names: Names, adaptor: Named, given: string | undefined): Promise<readonly Named[]> => {
  if (given !== undefined) return [await names.version(given)];
  const capabilities = (adaptor.resource['capabilities'] ?? []) as readonly Resource[];
  const wanted = new Set(capabilities.map((each) => `${textOf(each['domainName'])}:v${String(each['versionNumber'])}`));
  const versions = (await names.versions()).filter(({ name }) => wanted.has(name));
  if (versions.length === 0)
    throw new Failure(exitStatus.fault, `${adaptor.name} has no capability for a version that you may see`);
  return versions;
};

/** `fds reconcile <adaptor>`: compares an adaptor with the others, and with `--send` makes them agree. */
export const reconcile = async (
  { hub, print, say }: CommandContext,
  adaptorName: string,
  options: ReconcileOptions,
): Promise<void> => {
  const names = new Names(hub);
  const adaptor = await names.thing('Adaptor', adaptorName);
  const versions = await versionsOf(names, adaptor, options.domainVersion);
  const path = `/zones/${textOf(adaptor.resource['zoneUuid'])}/adaptors/${textOf(adaptor.resource['uuid'])}/reconciliations`;
  const results: (readonly [string, Resource])[] = [];
  for (const { name, resource } of versions) {
    let job = await hub.write<Resource>('POST', path, {
      domainVersionUuid: resource['uuid'],
      preview: options.send !== true,
      values: options.values,
      missingHere: options.missingHere,
      missingThere: options.missingThere,
    });
    while (options.wait && job['status'] === 'RUNNING') {
      showProgress(name, Number(job['progress'] ?? 0));
      await wait(pollMs);
      job = await hub.read<Resource>(`${path}/${textOf(job['uuid'])}`);
    }
    if (options.wait) endProgress();
    results.push([name, job]);
  }
  if (options.json === true)
    print(
      stringifyJson(
        results.map(([, job]) => job),
        2,
      ),
    );
  else
    printRows(
      print,
      ['VERSION', 'STATUS', ...countNames.map((name) => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase())],
      results.map(([name, job]) => {
        const counts = (job['counts'] ?? {}) as Resource;
        return [name, textOf(job['status']), ...countNames.map((count) => stringifyJson(counts[count] ?? 0))];
      }),
    );
  for (const [name, { message }] of results) if (typeof message === 'string') say(`${name}: ${message}`);
  const unfinished = results.filter(([, { status }]) => status === 'FAILED' || status === 'CANCELLED');
  if (unfinished.length > 0)
    throw new Failure(exitStatus.fault, `not completed: ${unfinished.map(([name]) => name).join(', ')}`);
};
