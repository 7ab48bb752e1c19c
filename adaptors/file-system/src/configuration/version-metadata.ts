import { z } from 'zod';

/** The number of a domain version, as text or as a number. */
export const versionMetadata = z
  .union([z.string().regex(/^\d{1,9}$/, 'must be the number of a version'), z.int().min(0)])
  .transform(Number);
