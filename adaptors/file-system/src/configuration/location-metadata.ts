import { z } from 'zod';
import { parseLocation, UriFault } from '../uris/location.js';

/** An absolute URI of a folder in the metadata. */
export const locationMetadata = z.string().transform((uri, context) => {
  try {
    return parseLocation(uri);
  } catch (error) {
    if (!(error instanceof UriFault)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});
