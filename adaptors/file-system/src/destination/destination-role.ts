import { type Adaptor, ApplyError, type IncomingEvent, stringifyJson } from '@fds/adaptor-sdk';
import type { DestinationMetadata, DestinationPaths } from '../configuration/destination-metadata.js';
import { createFaultReporter } from '../report-faults.js';
import { StorageFault } from '../storage/storage-fault.js';
import { formatLocation } from '../uris/location.js';
import type { Role, RoleTools } from '../role.js';
import { applyFile } from './apply-file.js';
import { deletedFile, describeFile, type IncomingFile, readIncomingFile, recordOf } from './incoming-file.js';
import { toApplyError } from './to-apply-error.js';

/** An adaptor that copies the files of incoming events. */
export const createDestinationRole = (
  adaptor: Pick<Adaptor, 'log' | 'reportSource' | 'clearSource'>,
  { sourceUris, destinations }: DestinationMetadata,
  { copying: tools, configuration }: RoleTools,
): Role => {
  const handlers = new Map<string, DestinationPaths>();
  const keyOf = (domain: string, version: number): string => `${domain.toLowerCase()}:${version}`;
  for (const paths of destinations) {
    const key = keyOf(paths.domain, paths.version);
    const before = handlers.get(key)?.destinations ?? [];
    handlers.set(key, { ...paths, destinations: [...before, ...paths.destinations] });
  }
  const bases = destinations.flatMap((paths) => paths.destinations.map(({ baseUri }) => baseUri));
  const faults = createFaultReporter(
    adaptor,
    [sourceUris, bases].map((folders) => folders.map((folder) => formatLocation(folder))),
  );

  /** Reports a folder that is not available, until work that needs it succeeds. */
  const watch = async (handler: string, folders: readonly string[], work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      for (const folder of folders) faults.worked(folder);
    } catch (error) {
      if (error instanceof StorageFault && error.kind === 'AWAY')
        faults.failed(error.resource ?? folders.join(' to '), error.message, [handler]);
      throw error;
    }
  };

  const { processing } = tools;

  /** The file of an event. Keeps the description, so that the next event may name its changed properties only. */
  const fileOf = (event: IncomingEvent): IncomingFile => {
    const key = configuration.domainVersions.find(
      ({ domainVersionUuid }) => domainVersionUuid === event.domainVersionUuid,
    );
    const record = recordOf(event, key?.drKeyProperties ?? []);
    if (event.action === 'DELETE') return deletedFile(record);
    const before = processing.description(record.record);
    const description = describeFile(event, record, before);
    const text = stringifyJson(description);
    if (text !== before) processing.describe(record.record, text);
    return readIncomingFile(record, description);
  };

  return {
    apply: async (event) => {
      const paths = handlers.get(keyOf(event.domain, event.version));
      if (paths === undefined) {
        throw new ApplyError(`no destination is configured for ${event.domain}:${event.version}`, {
          kind: 'CONFIGURATION',
        });
      }
      const handler = `${paths.domain}:${paths.version}`;
      try {
        const file = fileOf(event);
        await applyFile(file, {
          paths,
          sourceUris,
          tools,
          watch: (folders, work) => watch(handler, folders, work),
        });
        if (event.action === 'DELETE') processing.dropDescription(file.record);
      } catch (error) {
        throw toApplyError(error);
      }
      return {};
    },
    health: () =>
      Object.fromEntries(
        [...handlers.values()].map(({ domain, version }) => {
          const handler = `${domain}:${version}`;
          return [handler, faults.health(handler)];
        }),
      ),
    close: faults.close,
  };
};
