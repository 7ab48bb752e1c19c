import { AppError } from '@fds/errors';
import type { GraphqlExecutor } from '@fds/graphql';
import { stringifyJson } from '@fds/json';
import { Reading } from '../causes/reading.js';
import { refusalByCauses } from '../causes/refusal.js';
import type { OpenEndpoint } from '../http/endpoint.js';
import type { RawQuery } from '../query/compile-query-reader.js';
import { documentOfDomains } from './domains/document-of-domains.js';
import { createVersionLoader, type FindVisibleVersions } from './domains/load-record-versions.js';
import type { JsonSchema } from './schema-registry.js';
import { openapiDeclaration } from './self-endpoints.js';

const maxDomains = 20;
/** Most characters of a document with domains. */
const maxCharacters = 8 * 2 ** 20;

/** Reads the names in `domains`. @throws AppError INVALID_PARAMETER */
const readDomains = (query: RawQuery): readonly string[] => {
  const reading = new Reading();
  for (const name of Object.keys(query).filter((key) => key !== 'domains'))
    reading.add({ pointer: name, code: 'UNKNOWN_PARAMETER', detail: `"${name}" is unknown; allowed: domains` });
  const given = query['domains'] ?? '';
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : [];
  if (names.length === 0 || names.includes('') || names.length > maxDomains)
    reading.add({
      pointer: 'domains',
      code: 'WRONG_VALUE',
      detail: `domains is given once, with 1 to ${maxDomains} names of domains separated by commas`,
    });
  if (reading.causes.length > 0) throw refusalByCauses(reading.causes);
  return names;
};

export interface OpenapiEndpointOptions {
  /** Returns the general document; called once, at the first request. */
  readonly describe: () => JsonSchema;
  readonly executor: GraphqlExecutor;
  readonly findVisibleVersions: FindVisibleVersions;
  /** Address of the GraphiQL page. */
  readonly graphiqlUrl: string;
}

/** GET `/openapi.json`. With `?domains=a,b` the document describes the records of these domains. */
export const openapiEndpoint = (options: OpenapiEndpointOptions): OpenEndpoint => {
  const { describe, executor, findVisibleVersions, graphiqlUrl } = options;
  const loadVersions = createVersionLoader(executor, findVisibleVersions);
  let body: string | undefined;
  return {
    declaration: openapiDeclaration,
    access: 'open',
    offers: ['application/json'],
    serve: () => ({ status: 200, body: (body ??= JSON.stringify(describe())) }),
    serveQuery: async ({ query, ...context }) => {
      const [first, ...others] = await loadVersions(readDomains(query), context);
      if (first === undefined) throw new TypeError('every domain has a version');
      const text = stringifyJson(documentOfDomains(describe(), [first, ...others], graphiqlUrl));
      if (text.length > maxCharacters)
        throw new AppError(
          'QUERY_TOO_COMPLEX',
          `the document has more than ${maxCharacters} characters; name fewer domains`,
        );
      return { status: 200, body: text };
    },
  };
};
