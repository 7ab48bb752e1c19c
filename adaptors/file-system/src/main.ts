// fds-file-system-adaptor: configured by environment variables or adaptor.properties, see the README.
import { randomUUID } from 'node:crypto';
import { propertySourcesOf, runAdaptor } from '@fds/adaptor-sdk';
import {
  defaultDataDirectory,
  ownPropertyNames,
  readOwnProperties,
  s3SettingsOf,
} from './configuration/own-properties.js';
import { createFileSystemHandlers, type FileSystemTools } from './file-system-handlers.js';
import { openMonitoringState } from './state/monitoring-state.js';
import { openProcessingState } from './state/processing-state.js';
import { openStorages, type Storages } from './storage/open-storages.js';
import type { S3Settings } from './storage/s3/s3-storage.js';
import type { Storage } from './storage/storage.js';

/** The client of the object storage is loaded only if the adaptor has access to one. */
const openS3 = async (settings: S3Settings | undefined): Promise<Storage | undefined> => {
  if (settings === undefined) return undefined;
  const { createS3Storage } = await import('./storage/s3/s3-storage.js');
  return createS3Storage(settings);
};

let storages: Storages | undefined;
let tools: FileSystemTools | undefined;
try {
  const own = readOwnProperties(propertySourcesOf(process));
  const opened = openStorages(await openS3(s3SettingsOf(own)));
  storages = opened;
  await runAdaptor({
    ownProperties: ownPropertyNames,
    defaultDataDirectory, // the journal is in the same folder as the databases
    handlers: (running) => {
      const { dataDirectory = defaultDataDirectory(running.adaptorUuid) } = running.properties;
      const { databaseName } = own;
      tools = {
        monitoring: openMonitoringState(dataDirectory, databaseName),
        copying: {
          storages: opened,
          processing: openProcessingState(dataDirectory, `${databaseName}_processing`),
          newUuid: randomUUID,
        },
      };
      return createFileSystemHandlers(running, tools);
    },
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  tools?.monitoring.close();
  tools?.copying.processing.close();
  await storages?.close();
}
