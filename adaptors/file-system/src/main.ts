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
import { openStorages } from './storage/open-storages.js';

let tools: FileSystemTools | undefined;
try {
  const own = readOwnProperties(propertySourcesOf(process));
  await runAdaptor({
    ownProperties: ownPropertyNames,
    defaultDataDirectory, // the journal is in the same folder as the databases
    handlers: (running) => {
      const { dataDirectory = defaultDataDirectory(running.adaptorUuid) } = running.properties;
      const { databaseName } = own;
      tools = {
        monitoring: openMonitoringState(dataDirectory, databaseName),
        copying: {
          storages: openStorages(s3SettingsOf(own)),
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
  await tools?.copying.storages.close();
}
