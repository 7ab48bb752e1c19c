import { z } from 'zod';
import { ExpressionFault, readExpression } from './read-expression.js';

/** A JSONata expression. */
export const expression = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    try {
      readExpression(text);
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });

const codeTable = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).superRefine((codes, context) => {
  const seen = new Map<string, string>();
  for (const [code, value] of Object.entries(codes)) {
    const text = JSON.stringify(value);
    const first = seen.get(text);
    if (first !== undefined)
      context.addIssue({
        code: 'custom',
        path: [code],
        message: `has the value of the code ${JSON.stringify(first)}: a table of codes must be one-to-one`,
      });
    seen.set(text, code);
  }
});

const lookup = z.strictObject({
  schema: z.string().min(1).optional(),
  table: z.string().min(1),
  /** Column by which a row is found. */
  key: z.string().min(1),
  columns: z.array(z.string().min(1)).min(1),
});

export type LookupMetadata = z.output<typeof lookup>;

/** The part of a table entry that maps by expressions. */
export const mapping = z.strictObject({
  toRecord: z.record(z.string().min(1), expression).default({}),
  toRow: z.record(z.string().min(1), expression).default({}),
  codes: z.record(z.string().min(1), codeTable).default({}),
  lookups: z.record(z.string().min(1), lookup).default({}),
});
