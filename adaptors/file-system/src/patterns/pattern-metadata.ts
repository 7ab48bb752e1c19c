import { z } from 'zod';
import { compileLinearPattern } from './linear-pattern.js';

/** A regular expression in the metadata. */
export const patternMetadata = z.string().transform((source, context) => {
  const pattern = compileLinearPattern(source);
  if ('fault' in pattern) {
    context.addIssue({ code: 'custom', message: pattern.fault });
    return z.NEVER;
  }
  return pattern;
});
