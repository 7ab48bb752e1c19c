import { z } from 'zod';
import type { Filter } from '../filters/filter.js';
import { compileLinearPattern } from '../patterns/linear-pattern.js';

const maxDepth = 32;

const depthOf = (filter: Filter): number =>
  'children' in filter ? 1 + Math.max(0, ...filter.children.map(depthOf)) : 1;

const children = z.lazy(() => z.array(filterNode));

const patternText = z.string().superRefine((source, context) => {
  const pattern = compileLinearPattern(source);
  if ('fault' in pattern) context.addIssue({ code: 'custom', message: pattern.fault });
});

const filterNode: z.ZodType<Filter> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(['AND', 'OR']), children: children.pipe(z.array(z.custom<Filter>()).min(1)) }),
  z.strictObject({ type: z.literal('NOT'), children: children.pipe(z.array(z.custom<Filter>()).length(1)) }),
  z.strictObject({ type: z.literal(['IS_FILE', 'IS_DIRECTORY', 'CAN_READ', 'HIDDEN', 'VISIBLE']) }),
  z.strictObject({ type: z.literal('MODIFIED_AFTER'), value: z.int() }),
  z.strictObject({ type: z.literal(['MINIMUM_SIZE', 'MAXIMUM_SIZE']), value: z.int().min(0) }),
  z.strictObject({ type: z.literal('REGEX'), value: patternText }),
  z.strictObject({ type: z.literal(['PREFIX', 'SUFFIX']), value: z.string() }),
]);

/** A filter of a source path in the metadata. The scan compiles it. */
export const filterMetadata = filterNode.refine((filter) => depthOf(filter) <= maxDepth, {
  message: `filters nest at most ${maxDepth} levels`,
});
