import { join } from 'node:path';
import type { StatusReport } from '@fds/adaptor-protocol';
import type { AdaptorOptions } from '../adaptor-options.js';
import { type Logs, openLogs } from '../open-logs.js';
import {
  type AdaptorProperties,
  isPortGiven,
  metadataMayName,
  readAdaptorProperties,
  unknownAdaptorProperties,
} from '../properties/adaptor-properties.js';
import { propertySourcesOf } from '../properties/load-properties.js';

/** Everything that is fixed before an adaptor starts. */
export interface StartSettings {
  readonly properties: AdaptorProperties;
  /** Directory of the journal. */
  readonly dataDirectory: string;
  /** The operator chose the port of the health endpoint. */
  readonly isPortGiven: boolean;
  /** May the metadata name this variable of the environment? */
  readonly mayName: (name: string) => boolean;
  /** How the adaptor names itself in its reports. */
  readonly sdk: StatusReport['sdk'];
  readonly logs: Logs;
}

const thisSdk = { name: '@fds/adaptor-sdk', version: '0.1.0' };

const besideTheProcess = (adaptorUuid: string): string => join('.fds-adaptor', adaptorUuid);

/**
 * Reads the properties and opens the logs. Warns of properties that have no effect.
 *
 * @throws PropertyFault with all faults of the properties
 */
export const readStartSettings = (options: AdaptorOptions): StartSettings => {
  const { ownProperties = [], defaultDataDirectory = besideTheProcess, sdk = thisSdk } = options;
  const sources =
    options.properties === undefined ? propertySourcesOf(process) : { environment: {}, file: options.properties };
  const properties = readAdaptorProperties(sources);
  const logs = options.log === undefined ? openLogs(properties) : { own: options.log, root: options.log };
  const unknown = unknownAdaptorProperties(sources, ownProperties);
  if (unknown.length > 0) logs.own.warn({ properties: unknown }, 'properties that are not known have no effect');
  return {
    properties,
    dataDirectory: properties.dataDirectory ?? defaultDataDirectory(properties.adaptorUuid),
    isPortGiven: isPortGiven(sources),
    mayName: metadataMayName(properties, sources),
    sdk,
    logs,
  };
};
