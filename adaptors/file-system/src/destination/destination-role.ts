import { type Adaptor, ApplyError } from '@fds/adaptor-sdk';
import type { DestinationMetadata } from '../configuration/destination-metadata.js';
import { createFaultReporter, type FaultReporter } from '../report-faults.js';
import type { Role, RoleTools } from '../role.js';
import { StorageFault } from '../storage/storage-fault.js';
import { applyFile } from './apply-file.js';
import { readIncomingFile } from './incoming-file.js';
import { toApplyError } from './to-apply-error.js';

/** An adaptor that copies the files of incoming events. */
export const createDestinationRole = (
  adaptor: Pick<Adaptor, 'log' | 'reportError'>,
  { sourceUris, destinations }: DestinationMetadata,
  { copying: tools, configuration }: RoleTools,
): Role => {
  const handlers = new Map<string, { readonly paths: (typeof destinations)[number]; readonly faults: FaultReporter }>();
  const keyOf = (domain: string, version: number): string => `${domain.toLowerCase()}:${version}`;
  for (const paths of destinations) {
    const key = keyOf(paths.domain, paths.version);
    const before = handlers.get(key);
    handlers.set(key, {
      paths:
        before === undefined
          ? paths
          : { ...paths, destinations: [...before.paths.destinations, ...paths.destinations] },
      faults: before?.faults ?? createFaultReporter(adaptor, `${paths.domain}:${paths.version}`),
    });
  }
  return {
    apply: async (event) => {
      const handler = handlers.get(keyOf(event.domain, event.version));
      if (handler === undefined) {
        throw new ApplyError(`no destination is configured for ${event.domain}:${event.version}`, {
          kind: 'CONFIGURATION',
        });
      }
      const { paths, faults } = handler;
      const key = configuration.domainVersions.find(
        ({ domainVersionUuid }) => domainVersionUuid === event.domainVersionUuid,
      );
      try {
        await applyFile(readIncomingFile(event, key?.drKeyProperties ?? []), { paths, sourceUris, tools });
        faults.worked('copying');
      } catch (error) {
        if (error instanceof StorageFault && error.kind === 'AWAY') await faults.failed('copying', error.message);
        throw toApplyError(error);
      }
      return {};
    },
    health: () =>
      Object.fromEntries(
        [...handlers.values()].map(({ paths, faults }) => [`${paths.domain}:${paths.version}`, faults.health]),
      ),
  };
};
