import type { GraphqlExecutor } from '@fds/graphql';
import { lineHeaders, requireResult, type LinesOfEndpoint } from './compile-endpoint.js';

interface Page {
  readonly lines: readonly string[];
  readonly cursor: unknown;
  readonly more: boolean;
}

const pageSize = 1000;

/**
 * Answers with the lines of one page after the other, until there are no more, or until as many as the caller's `size`. The
 * next page is read when the caller has taken the lines of the one before, so one page is in memory.
 */
export const linesOfPages = (executor: GraphqlExecutor, document: string): LinesOfEndpoint => {
  const prepared = executor.prepare(document);
  return {
    mediaType: 'application/x-ndjson',
    headers: lineHeaders,
    open: async function* (variables, context, locate) {
      const { size } = variables;
      let left = typeof size === 'number' ? size : Number.POSITIVE_INFINITY;
      let { after } = variables;
      for (;;) {
        const asked = { ...variables, after, size: typeof size === 'number' ? left : pageSize };
        const { lines, cursor, more } = requireResult(await prepared.execute(asked, context), locate) as Page;
        yield* lines;
        left -= lines.length;
        if (!more || left <= 0) return;
        after = cursor;
      }
    },
  };
};
