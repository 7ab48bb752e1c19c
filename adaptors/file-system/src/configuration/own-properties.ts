import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  integerIn,
  type Property,
  type PropertySources,
  type PropertyValues,
  readProperties,
  text,
  urlOf,
} from '@fds/adaptor-sdk';
import type { S3Settings } from '../storage/s3/s3-storage.js';

const property = <T>(value: Property<T>): Property<T> => value;

const baseName = (value: string): string | undefined => {
  const name = text(value);
  return name === undefined || /[/\\]/.test(name) || name.startsWith('.') ? undefined : name;
};

/** Properties of the file-system adaptor (specification, extra properties). */
export const ownPropertyTable = {
  dataDirectory: property<string | undefined>({
    name: 'data.directory',
    variable: 'DATA_DIRECTORY',
    meaning: 'folder of the embedded databases and the journal',
    fallback: undefined,
    read: text,
    form: 'a directory',
  }),
  databaseName: property({
    name: 'file.monitor.database.name',
    variable: 'FILE_MONITOR_DATABASE_NAME',
    meaning: 'name of the monitoring database, without extension',
    fallback: 'file_monitor',
    read: baseName,
    form: 'a file name without folders',
  }),
  databaseUsername: property({
    name: 'file.monitor.database.username',
    variable: 'FILE_MONITOR_DATABASE_USERNAME',
    meaning: 'accepted; the embedded database has no users',
    fallback: 'fds',
    read: text,
    form: 'a name',
  }),
  databasePassword: property<string | undefined>({
    name: 'file.monitor.database.password',
    variable: 'FILE_MONITOR_DATABASE_PASSWORD',
    meaning: 'accepted; the embedded database has no users',
    fallback: undefined,
    read: text,
    form: 'a secret',
  }),
  databasePoolSize: property({
    name: 'file.monitor.database.connection.pool.size',
    variable: 'FILE_MONITOR_DATABASE_CONNECTION_POOL_SIZE',
    meaning: 'accepted; the embedded database has one connection',
    fallback: 5,
    read: integerIn(1, 1_000),
    form: 'an integer from 1 to 1000',
  }),
  cloudRegion: property<string | undefined>({
    variable: 'CLOUD_REGION',
    meaning: 'region of the object storage',
    fallback: undefined,
    read: text,
    form: 'a region',
  }),
  cloudAccessKeyId: property<string | undefined>({
    variable: 'CLOUD_ACCESS_KEY_ID',
    meaning: 'access key of the object storage',
    fallback: undefined,
    read: text,
    form: 'an access key',
  }),
  cloudSecretAccessKey: property<string | undefined>({
    variable: 'CLOUD_SECRET_ACCESS_KEY',
    meaning: 'secret of the access key',
    fallback: undefined,
    read: text,
    form: 'a secret',
  }),
  cloudEndpoint: property<string | undefined>({
    variable: 'CLOUD_ENDPOINT',
    meaning: 'address of an S3-compatible storage; default: that of AWS in the region',
    fallback: undefined,
    read: urlOf('http:', 'https:'),
    form: 'an address such as https://storage.example:9000',
  }),
};

export type OwnProperties = PropertyValues<typeof ownPropertyTable>;

/** Names in the properties file that this adaptor reads itself. */
export const ownPropertyNames: readonly string[] = Object.values(ownPropertyTable).flatMap((one: Property<unknown>) =>
  one.name === undefined ? [] : [one.name],
);

/** @throws PropertyFault with all faults at once */
export const readOwnProperties = (sources: PropertySources): OwnProperties => readProperties(ownPropertyTable, sources);

/**
 * Default folder of the databases of an adaptor without `data.directory`: one folder for each adaptor, below the home
 * directory.
 */
export const defaultDataDirectory = (adaptorUuid: string): string => join(homedir(), '.fds-adaptor', adaptorUuid);

/** Access to the object storage. Undefined when region, key or secret is missing. */
export const s3SettingsOf = (own: OwnProperties): S3Settings | undefined => {
  const { cloudRegion: region, cloudAccessKeyId: accessKeyId, cloudSecretAccessKey: secretAccessKey } = own;
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { region, accessKeyId, secretAccessKey, endpoint: own.cloudEndpoint };
};
