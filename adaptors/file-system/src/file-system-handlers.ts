import type { Adaptor, AdaptorConfiguration, AdaptorHandlers } from '@fds/adaptor-sdk';
import { ApplyError } from '@fds/adaptor-sdk';
import { checkDomains } from './configuration/check-domains.js';
import { checkStorages } from './configuration/check-storages.js';
import { parseFileSystemMetadata } from './configuration/file-system-metadata.js';
import { createDestinationRole } from './destination/destination-role.js';
import type { Role, RoleTools } from './role.js';
import { createSourceRole } from './source/source-role.js';
import { removeLeftovers } from './transfer/remove-leftovers.js';

/** Tools of the handlers of a file-system adaptor. The caller closes them. */
export type FileSystemTools = Omit<RoleTools, 'configuration'>;

/** The handlers of a file-system adaptor. Its metadata makes it a source or a destination. */
export const createFileSystemHandlers = (adaptor: Adaptor, tools: FileSystemTools): AdaptorHandlers => {
  let role: Role | undefined;
  let isPlaying = false;
  tools.monitoring.recover(adaptor.published);
  const { processing, storages } = tools.copying;
  const leftoversRemoved = removeLeftovers(processing, storages, (target, error) =>
    adaptor.log.warn(
      { target, reason: String(error) },
      'a temporary file of a copy could not be removed; the next start tries again',
    ),
  );

  const createRole = (configuration: AdaptorConfiguration): Role => {
    const metadata = parseFileSystemMetadata(configuration.metadata);
    checkStorages(metadata, storages);
    const unchecked = checkDomains(metadata, configuration);
    if (unchecked.length > 0) {
      adaptor.log.warn({ domainVersions: unchecked }, 'the server did not send these models, so they are not checked');
    }
    return metadata.type === 'source'
      ? createSourceRole(adaptor, metadata, { ...tools, configuration })
      : createDestinationRole(adaptor, metadata, { ...tools, configuration });
  };

  return {
    configure: async (configuration) => {
      await leftoversRemoved;
      await role?.pause?.();
      try {
        const next = createRole(configuration);
        role?.close();
        role = next;
        // a destination discovers no records
        if (configuration.metadata['type'] === 'destination')
          for (const { domain, version } of configuration.domainVersions)
            await adaptor.reportDiscovered({ domain, version, records: 0 });
      } finally {
        if (isPlaying) await role?.play?.();
      }
    },
    play: async () => {
      isPlaying = true;
      await role?.play?.();
    },
    pause: async () => {
      isPlaying = false;
      await role?.pause?.();
    },
    refreshState: () => role?.refreshState?.(),
    apply: (event) => {
      if (role?.apply === undefined) throw new ApplyError('the adaptor is not configured', { kind: 'CONFIGURATION' });
      return role.apply(event);
    },
    assemble: (request, signal) => {
      if (role?.assemble === undefined) throw new Error('a destination cannot answer assembly requests');
      return role.assemble(request, signal);
    },
    health: () => role?.health() ?? {},
    stop: async () => {
      await role?.pause?.();
      await leftoversRemoved;
    },
  };
};
