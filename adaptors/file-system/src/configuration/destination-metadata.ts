import { z } from 'zod';
import { locationMetadata } from './location-metadata.js';
import { patternMetadata } from '../patterns/pattern-metadata.js';
import { transformationMetadata } from '../uris/transformation-metadata.js';
import { versionMetadata } from './version-metadata.js';

const destinationPath = z.strictObject({
  /** Top folder to copy into. */
  baseUri: locationMetadata,
  allowRelativeUri: z.boolean().default(false),
  filterRegex: patternMetadata.optional(),
  rewriteRules: z.array(transformationMetadata).default([]),
});

const destinationPaths = z.strictObject({
  domain: z.string().min(1),
  version: versionMetadata,
  destinations: z.array(destinationPath).min(1),
});

export type DestinationPaths = z.infer<typeof destinationPaths>;

/** Metadata of an adaptor that copies files. */
export const destinationMetadata = z.strictObject({
  type: z.literal('destination'),
  /** Folders from which the adaptor may copy. */
  sourceUris: z.array(locationMetadata).min(1),
  destinations: z.array(destinationPaths).min(1),
});

export type DestinationMetadata = z.infer<typeof destinationMetadata>;
