import { errorCatalogue, type ErrorDefinition } from '@fds/errors';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);

/** The page of error codes that `type` of a problem refers to. Each code has a heading with its id. */
export const renderErrorsHtml = (catalogue: Readonly<Record<string, ErrorDefinition>> = errorCatalogue): string => {
  const entries = Object.entries(catalogue).map(
    ([code, { status, title, advice, retryable }]) =>
      `<h2 id="${code}">${code}</h2><p>${status}${retryable ? ', may be repeated unchanged' : ''}. ${escape(title)}.</p><p>${escape(advice)}</p>`,
  );
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Error codes</title>',
    '<style>body{font:16px/1.5 sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}</style>',
    '<h1>Error codes</h1>',
    ...entries,
    '</html>',
  ].join('\n');
};
