// fds-file-system-adaptor: configured by environment variables or adaptor.properties, see the README.
import { randomUUID } from 'node:crypto';
import { type AdaptorConfiguration, propertySourcesOf, runAdaptor, runProgram } from '@fds/adaptor-sdk';
import { checkDomains } from './configuration/check-domains.js';
import { checkStorages } from './configuration/check-storages.js';
import { parseFileSystemMetadata } from './configuration/file-system-metadata.js';
import {
  defaultDataDirectory,
  ownPropertyNames,
  ownPropertyTable,
  readOwnProperties,
  s3SettingsOf,
} from './configuration/own-properties.js';
import { createFileSystemHandlers, type FileSystemTools } from './file-system-handlers.js';
import { openMonitoringState } from './state/monitoring-state.js';
import { openProcessingState } from './state/processing-state.js';
import { openStorages } from './storage/open-storages.js';
import type { S3Settings } from './storage/s3/s3-storage.js';
import type { Storage } from './storage/storage.js';

/** The client of the object storage is loaded only if the adaptor has access to one. */
const openS3 = async (settings: S3Settings | undefined): Promise<Storage | undefined> => {
  if (settings === undefined) return undefined;
  const { createS3Storage } = await import('./storage/s3/s3-storage.js');
  return createS3Storage(settings);
};

const run = async (): Promise<void> => {
  let closeStorages: () => Promise<void> | undefined = () => undefined;
  let tools: FileSystemTools | undefined;
  try {
    const own = readOwnProperties(propertySourcesOf(process));
    const s3 = await openS3(s3SettingsOf(own));
    closeStorages = () => s3?.close();
    await runAdaptor({
      ownProperties: ownPropertyNames,
      defaultDataDirectory, // the journal is in the same folder as the databases
      handlers: (running) => {
        const { dataDirectory = defaultDataDirectory(running.adaptorUuid) } = running.properties;
        const { databaseName } = own;
        const processing = openProcessingState(dataDirectory, `${databaseName}_processing`);
        const storages = openStorages(s3, processing);
        closeStorages = storages.close;
        tools = {
          monitoring: openMonitoringState(dataDirectory, databaseName),
          copying: { storages, processing, newUuid: randomUUID },
        };
        return createFileSystemHandlers(running, tools);
      },
    });
  } finally {
    tools?.monitoring.close();
    tools?.copying.processing.close();
    await closeStorages();
  }
};

/** Checks the metadata, the addresses of the folders, and the models of the domain versions. */
const check = async (configuration: AdaptorConfiguration): Promise<string> => {
  const storages = openStorages(await openS3(s3SettingsOf(readOwnProperties(propertySourcesOf(process)))));
  try {
    const metadata = parseFileSystemMetadata(configuration.metadata);
    checkStorages(metadata, storages);
    const unchecked = checkDomains(metadata, configuration);
    return unchecked.length === 0
      ? 'the configuration is valid'
      : `the configuration is valid; the server did not send these models, so they are not checked: ${unchecked.join(', ')}`;
  } finally {
    await storages.close();
  }
};

await runProgram({
  name: 'fds-file-system-adaptor',
  purpose: 'Monitors folders and copies files between systems, by a Federated Data Service.',
  properties: ownPropertyTable,
  check,
  run,
});
