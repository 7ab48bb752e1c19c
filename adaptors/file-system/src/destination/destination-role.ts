import { type Adaptor, ApplyError } from '@fds/adaptor-sdk';
import type { DestinationMetadata } from '../configuration/destination-metadata.js';
import { createFaultReporter, type FaultReporter } from '../report-faults.js';
import type { Role, RoleTools } from '../role.js';
import { applyFile } from './apply-file.js';
import { type AwayRoutes, createAwayRoutes } from './away-routes.js';
import { readIncomingFile } from './incoming-file.js';
import { toApplyError } from './to-apply-error.js';

/** The destinations of a domain version. */
interface Handler {
  readonly paths: DestinationMetadata['destinations'][number];
  readonly faults: FaultReporter;
  readonly routes: AwayRoutes;
}

const createFaults = (adaptor: Pick<Adaptor, 'log' | 'reportError'>, name: string): Omit<Handler, 'paths'> => {
  const faults = createFaultReporter(adaptor, name);
  const routes = createAwayRoutes(Date.now, (route, { message }) => faults.failed(route, message), faults.worked);
  return { faults, routes };
};

/** An adaptor that copies the files of incoming events. */
export const createDestinationRole = (
  adaptor: Pick<Adaptor, 'log' | 'reportError'>,
  { sourceUris, destinations }: DestinationMetadata,
  { copying: tools, configuration }: RoleTools,
): Role => {
  const handlers = new Map<string, Handler>();
  const keyOf = (domain: string, version: number): string => `${domain.toLowerCase()}:${version}`;
  for (const paths of destinations) {
    const key = keyOf(paths.domain, paths.version);
    const before = handlers.get(key);
    handlers.set(key, {
      ...(before ?? createFaults(adaptor, `${paths.domain}:${paths.version}`)),
      paths:
        before === undefined
          ? paths
          : { ...paths, destinations: [...before.paths.destinations, ...paths.destinations] },
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
      const { paths, routes } = handler;
      const key = configuration.domainVersions.find(
        ({ domainVersionUuid }) => domainVersionUuid === event.domainVersionUuid,
      );
      try {
        await applyFile(readIncomingFile(event, key?.drKeyProperties ?? []), { paths, sourceUris, tools, routes });
      } catch (error) {
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
