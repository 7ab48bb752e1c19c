import { z } from 'zod';
import { formatLocation, isWithin } from '../uris/location.js';
import { filterMetadata } from './filter-metadata.js';
import { locationMetadata } from './location-metadata.js';
import { transformationMetadata } from '../uris/transformation-metadata.js';
import { versionMetadata } from './version-metadata.js';

const sourcePath = z
  .strictObject({
    domain: z.string().min(1),
    version: versionMetadata,
    /** Folder to monitor. */
    uri: locationMetadata,
    filter: filterMetadata.optional(),
    /** Accepts that the URI now leads to another folder. */
    sourceChanged: z.literal('ACCEPT').optional(),
    writeToIntermediate: z.boolean().default(false),
    baseIntermediateUri: locationMetadata.optional(),
    intermediateRewriteRules: z.array(transformationMetadata).default([]),
    baseDestinationUri: locationMetadata.optional(),
    destinationRewriteRules: z.array(transformationMetadata).default([]),
  })
  .superRefine(({ uri, writeToIntermediate, baseIntermediateUri }, context) => {
    if (writeToIntermediate && baseIntermediateUri === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['baseIntermediateUri'],
        message: 'is required when writeToIntermediate is true',
      });
    }
    if (baseIntermediateUri !== undefined && isWithin(uri, baseIntermediateUri)) {
      context.addIssue({
        code: 'custom',
        path: ['baseIntermediateUri'],
        message: `lies below the monitored folder ${formatLocation(uri)}: every copy would be monitored`,
      });
    }
  });

/** A folder that is monitored. */
export type SourcePath = z.infer<typeof sourcePath>;

/** Metadata of an adaptor that monitors folders. */
export const sourceMetadata = z
  .strictObject({
    type: z.literal('source'),
    paths: z.array(sourcePath).min(1),
    /** Number of changes that may wait to be published while the scan continues; 0: the scan waits for each batch. */
    queueSize: z.int().min(0).max(100_000).default(0),
    scanIntervalSeconds: z.int().min(1).max(86_400).default(10),
  })
  .superRefine(({ paths }, context) => {
    const keys = paths.map(({ domain, version, uri }) => `${domain.toLowerCase()}:${version} ${formatLocation(uri)}`);
    for (const [index, key] of keys.entries()) {
      if (keys.indexOf(key) !== index) {
        context.addIssue({ code: 'custom', path: ['paths', index], message: `repeats ${key}` });
      }
    }
  });

export type SourceMetadata = z.infer<typeof sourceMetadata>;
