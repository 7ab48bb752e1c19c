import { z } from 'zod';
import { patternMetadata } from '../patterns/pattern-metadata.js';

/** A rule that rewrites a URI. */
export const transformationMetadata = z.strictObject({
  /** The whole value must match; otherwise the rule does not apply. */
  filterRegex: patternMetadata.optional(),
  findRegex: patternMetadata,
  replaceRegex: z.string().max(1_000),
  /** False: only the first occurrence is replaced. */
  replaceAll: z.boolean().default(true),
});

export type Transformation = z.infer<typeof transformationMetadata>;
