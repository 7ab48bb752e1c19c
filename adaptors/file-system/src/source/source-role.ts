import { type Adaptor, ApplyError } from '@fds/adaptor-sdk';
import type { SourceMetadata, SourcePath } from '../configuration/source-metadata.js';
import { createFaultReporter } from '../report-faults.js';
import type { Role, RoleTools } from '../role.js';
import { assembleFiles } from './assemble-files.js';
import { createChangePublisher } from './publish-changes.js';
import { createSourcePath, sourceNameOf } from './run-source-path.js';

/** The running scans. */
interface Scanning {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

/** An adaptor that monitors folders. */
export const createSourceRole = (
  adaptor: Pick<
    Adaptor,
    | 'adaptorUuid'
    | 'publish'
    | 'published'
    | 'log'
    | 'reportError'
    | 'reportSource'
    | 'clearSource'
    | 'caughtUp'
    | 'isDiscovering'
    | 'reportDiscovered'
  >,
  { paths, queueSize, scanIntervalSeconds }: SourceMetadata,
  { copying: tools, monitoring: state, configuration }: RoleTools,
): Role => {
  const { capabilities, deletionLimit } = configuration;
  const publisher = createChangePublisher({ adaptor, state, tools });
  const faults = createFaultReporter(adaptor, [paths.map((path) => sourceNameOf(path))]);
  /** The folders of a version may be several: its discovery is complete when each was scanned. */
  const scanned = new Map<SourcePath, number>();
  const completed = async (path: SourcePath, files: number): Promise<void> => {
    scanned.set(path, files);
    const { domain, version } = path;
    if (!adaptor.isDiscovering({ domain, version })) return;
    const counts = paths
      .filter((one) => one.domain.toLowerCase() === domain.toLowerCase() && one.version === version)
      .map((one) => scanned.get(one));
    if (counts.includes(undefined)) return;
    const records = counts.reduce<number>((sum, count = 0) => sum + count, 0);
    await adaptor.reportDiscovered({ domain, version, records });
  };
  const running = paths.map((path) => {
    const deletesRecords = capabilities.some(
      ({ action, domainName, versionNumber }) =>
        action === 'DELETE' && domainName.toLowerCase() === path.domain.toLowerCase() && versionNumber === path.version,
    );
    return createSourcePath({
      path,
      storage: tools.storages.of(path.uri),
      state,
      publisher,
      adaptor,
      faults,
      onComplete: (files) => completed(path, files),
      deletesRecords,
      deletionLimit,
      queueSize,
      scanIntervalMs: scanIntervalSeconds * 1_000,
    });
  });
  let scanning: Scanning | undefined;
  return {
    play: () => {
      if (scanning !== undefined) return;
      const controller = new AbortController();
      scanning = { controller, done: Promise.all(running.map((path) => path.run(controller.signal))) };
    },
    pause: async () => {
      const ending = scanning;
      scanning = undefined;
      ending?.controller.abort();
      await ending?.done;
    },
    refreshState: () => {
      for (const path of running) path.wake();
    },
    apply: () => {
      throw new ApplyError('a source applies no events', { kind: 'CONFIGURATION' });
    },
    assemble: async (request) => {
      const paths = running.filter(
        ({ path }) => path.domain.toLowerCase() === request.domain.toLowerCase() && path.version === request.version,
      );
      const { adaptorUuid } = adaptor;
      return { records: await assembleFiles({ adaptorUuid, storages: tools.storages, paths }, request) };
    },
    health: () =>
      Object.fromEntries(
        paths.map(({ domain, version }) => {
          const handler = `${domain}:${version}`;
          return [handler, faults.health(handler)];
        }),
      ),
    close: faults.close,
  };
};
