import { ApplyError } from '@fds/adaptor-sdk';
import type { DestinationPaths } from '../configuration/destination-metadata.js';
import { formatLocation, isWithin, type Location, parseLocation, UriFault } from '../uris/location.js';
import { resolveDestination } from '../uris/resolve-destination.js';
import type { IncomingFile } from './incoming-file.js';

/** A place that a file is copied to. */
export interface Target {
  readonly target: Location;
  readonly base: Location;
}

const locationIn = (uri: string): Location => {
  try {
    return parseLocation(uri);
  } catch (error) {
    if (error instanceof UriFault)
      throw new ApplyError(error.message, { title: 'The record names a place that cannot be used' });
    throw error;
  }
};

/**
 * The place to read the content from: the intermediate copy if there is one, otherwise the source. It must be in one of
 * `sourceUris`.
 *
 * @throws ApplyError
 */
export const readableLocation = (
  { intermediateUri, sourceUri }: Pick<IncomingFile, 'intermediateUri' | 'sourceUri'>,
  sourceUris: readonly Location[],
): Location => {
  const uri = intermediateUri ?? sourceUri;
  const location = locationIn(uri);
  if (sourceUris.some((base) => isWithin(base, location) && location.segments.length > base.segments.length)) {
    return location;
  }
  throw new ApplyError(
    `${JSON.stringify(uri)} is in none of the sourceUris ${sourceUris.map(formatLocation).join(', ')}`,
    { kind: 'CONFIGURATION', title: 'The adaptor may not read the folder of the file' },
  );
};

/**
 * The targets of a file: one for each destination whose filter accepts it, without duplicates. Empty when every
 * destination filters it out.
 *
 * @throws ApplyError when a destination refuses it, or the event names no destination
 */
export const planTargets = (
  destinationUri: string | undefined,
  { domain, version, destinations }: DestinationPaths,
): readonly Target[] => {
  if (destinationUri === undefined)
    throw new ApplyError('/destinationUri: the record names no destination', {
      title: 'The record names no destination',
    });
  const targets = new Map<string, Target>();
  const refusals: string[] = [];
  for (const [index, rule] of destinations.entries()) {
    const resolution = resolveDestination(destinationUri, rule);
    if (resolution.outcome === 'REFUSED') refusals.push(`destination ${index}: ${resolution.reason}`);
    if (resolution.outcome === 'RESOLVED') targets.set(formatLocation(resolution.target), resolution);
  }
  if (targets.size === 0 && refusals.length > 0) {
    throw new ApplyError(`no destination of ${domain}:${version} takes the file: ${refusals.join('; ')}`, {
      title: 'No destination takes the file',
    });
  }
  return [...targets.values()];
};
