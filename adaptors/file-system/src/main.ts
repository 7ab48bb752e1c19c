// fds-file-system-adaptor: configured by environment variables or adaptor.properties, see the README.
import { randomUUID } from 'node:crypto';
import { propertySourcesOf, startAdaptor } from '@fds/adaptor-sdk';
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

const stopDeadlineMs = 15_000;

let tools: FileSystemTools | undefined;
try {
  const sources = propertySourcesOf(process);
  const own = readOwnProperties(sources);
  if (own.dataDirectory === undefined) {
    const uuid = (sources.environment['ADAPTOR_UUID'] ?? '') || sources.file['adaptor.uuid'];
    // the journal is next to the databases
    if (uuid !== undefined) process.env['DATA_DIRECTORY'] = defaultDataDirectory(uuid.trim().toLowerCase());
  }
  const adaptor = await startAdaptor({
    ownProperties: ownPropertyNames,
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
  const stop = (): void => {
    // a storage that does not answer must not keep the process: an unfinished event comes again
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    adaptor.stop().catch((error: unknown) => adaptor.log.error({ err: error }, 'the stop failed'));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  await adaptor.stopped;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  tools?.monitoring.close();
  tools?.copying.processing.close();
  await tools?.copying.storages.close();
}
