import { z } from 'zod';
import { type DestinationMetadata, destinationMetadata } from './destination-metadata.js';
import { type SourceMetadata, sourceMetadata } from './source-metadata.js';

/** The metadata of a file-system adaptor, checked. */
export type FileSystemMetadata = SourceMetadata | DestinationMetadata;

const fileSystemMetadata = z.discriminatedUnion('type', [sourceMetadata, destinationMetadata]);

/** Every fault of the configuration, each with its place. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
  constructor(readonly faults: readonly string[]) {
    super(`the configuration is not valid: ${faults.join('; ')}`);
  }
}

const placeOf = (path: readonly PropertyKey[]): string => path.map((part) => `/${String(part)}`).join('');

/**
 * Checks the adaptor's metadata.
 *
 * @throws ConfigurationFault with every fault
 */
export const parseFileSystemMetadata = (metadata: unknown): FileSystemMetadata => {
  const result = fileSystemMetadata.safeParse(metadata);
  if (result.success) return result.data;
  throw new ConfigurationFault(result.error.issues.map(({ path, message }) => `metadata${placeOf(path)}: ${message}`));
};
