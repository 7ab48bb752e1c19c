import { errorCatalogue, type ErrorDefinition } from './error-catalogue.js';

/** The reference page of error codes, Markdown. `type` of a problem points at its heading here. */
export const renderErrorsPage = (catalogue: Readonly<Record<string, ErrorDefinition>> = errorCatalogue): string => {
  const rows = Object.entries(catalogue).map(
    ([code, { status, title, retryable, advice }]) =>
      `### ${code}\n\n${status}${retryable ? ', may be repeated unchanged' : ''}. ${title}.\n\n${advice}\n`,
  );
  return [
    '# Error codes',
    '',
    'Every error answer carries one of these words as `code` (REST and assembly: `application/problem+json`; GraphQL: `extensions.code`).',
    '',
    '<!-- generated from subgraphs/shared/errors/src/error-catalogue.ts: `npm run generate:pages` -->',
    '',
    ...rows,
  ].join('\n');
};
