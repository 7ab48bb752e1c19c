import fc from 'fast-check';
import type { Sent } from '../../harness/exchange.js';
import type { FuzzCase, FuzzTarget } from '../fuzz-target.js';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { askHttp } from '../values/ask-http.js';
import { requireCallersErrors } from '../values/ask-graphql-document.js';
import { anyJson, anyText, encodeText, mutated } from '../values/hostile-values.js';

const validDocuments = [
  '{ domains(page: 0, size: 2) { data { uuid name versions { versionNumber modelSchema } } page { totalElements } } }',
  '{ dr_store_1(query: "id:a", sort: "-count", size: 3) { data { id count inner { text } list { text } _dr { uuid drKey } } } }',
  '{ dr_federated_1(additionalParameters: "{}", drUuids: []) { data { id } } }',
  'query A($n: String) { zones(zoneName: $n) { data { ...F } } } fragment F on Zone { uuid name }',
  'query A { __schema { types { name fields { name type { ofType { name } } } } } } query B { __typename }',
  '{ a: adaptors(state: "DOWN") { data { uuid state } } b: __typename @skip(if: true) }',
  'mutation { createDomain(input: { name: "fuzz__x" }) { uuid } }',
  'subscription { __typename }',
] as const;

const scalarLiteral = fc.constantFrom(
  'null',
  '1',
  '1.5e400',
  '"x"',
  '"""b"""',
  'true',
  'ENUM',
  '[1]',
  '{a: 1}',
  '$v',
  '[[[[]]]]',
);

/** Valid documents with a placeholder `LITERAL`. */
const documentsWithLiterals = [
  '{ domains(domainName: LITERAL, domainUuid: LITERAL) { data { uuid } } }',
  '{ domainVersions(versionNumber: LITERAL, page: LITERAL) { data { uuid } } }',
  '{ dr_store_1(query: LITERAL, sort: LITERAL, size: LITERAL) { data { id } } }',
  '{ dr_federated_1(zoneUuid: LITERAL, drUuids: LITERAL, additionalParameters: LITERAL) { data { id } } }',
  '{ dataIssues(zoneUuid: LITERAL, page: LITERAL) { data { uuid } } }',
  'mutation { createDataRecord(input: { name: LITERAL, json: LITERAL }) { uuid } }',
  'mutation { createDomain(input: { name: LITERAL, domainType: LITERAL }) { uuid } }',
] as const;

const withLiterals = fc
  .tuple(fc.constantFrom(...documentsWithLiterals), fc.array(scalarLiteral, { minLength: 3, maxLength: 3 }))
  .map(([text, literals]) =>
    literals.reduce<string>((filled, literal) => filled.replace('LITERAL', () => literal), text),
  );

const fieldName = fc.constantFrom(
  'domains',
  'zones',
  'adaptors',
  'users',
  'dataIssues',
  'dr_store_1',
  'dr_federated_1',
  'data',
  'page',
  'uuid',
  'name',
  '_dr',
  '_entities',
  '_service',
  '__typename',
  '__schema',
  '__proto__',
  'constructor',
);

const argumentsOf = fc
  .array(
    fc
      .tuple(
        fc.constantFrom('page', 'size', 'query', 'sort', 'drUuids', 'additionalParameters', 'representations', 'x'),
        scalarLiteral,
      )
      .map(([argument, literal]) => `${argument}: ${literal}`),
    { maxLength: 2 },
  )
  .map((list) => (list.length === 0 ? '' : `(${list.join(', ')})`));

const { selection } = fc.letrec<{ field: string; selection: string }>((tie) => ({
  field: fc
    .tuple(
      fc.constantFrom('', '', '', 'a: ', 'b: ', '... on Zone { uuid } ', '...F '),
      fieldName,
      argumentsOf,
      fc.constantFrom('', '', '', ' @skip(if: false)', ' @include(if: 1)', ' @x'),
      fc.option(tie('selection'), { depthSize: 'small', nil: '' }),
    )
    .map(([alias, field, given, directive, below]) => `${alias}${field}${given}${directive}${below}`),
  selection: fc.array(tie('field'), { minLength: 1, maxLength: 4 }).map((fields) => ` { ${fields.join(' ')} }`),
}));

const document = fc.oneof(
  withLiterals,
  fc.constantFrom(...validDocuments).chain(mutated),
  selection,
  fc
    .tuple(
      fc.constantFrom('query', 'query Q($v: Int)', 'query Q($v: Json = {a: 1})', 'mutation', 'subscription'),
      selection,
    )
    .map(([head, body]) => `${head}${body} fragment F on Query { ...F }`),
  anyText,
);

/** Parameters of a GraphQL request over HTTP, some of them of the wrong type. */
const parameters = fc.record(
  {
    query: fc.oneof({ weight: 9, arbitrary: document }, anyJson),
    variables: fc.oneof(fc.constant({ n: 'Root', v: 1 }), anyJson),
    operationName: fc.oneof(fc.constantFrom('', 'A', 'B', null), anyJson),
    extensions: fc.oneof(
      fc.constant({}),
      fc.constant({ persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }),
      anyJson,
    ),
  },
  { requiredKeys: ['query'] },
);

/** Documents and request parameters, by POST and by GET. */
export const graphqlDocuments = ({ doors: { service, dgs, admin } }: FuzzStage): FuzzTarget => {
  const url = `${service.baseUrl}/graphql`;
  const ask = (to: string, sent: Sent, token: string | undefined): FuzzCase =>
    askHttp({ url: to, sent: { ...sent, ...(token === undefined ? {} : { token }) } }, requireCallersErrors);
  const token = fc.constantFrom(dgs.token, admin.token);
  const posted = fc.tuple(parameters, token).map(([json, own]) => ask(url, { method: 'POST', json }, own));
  const batched = fc
    .tuple(fc.array(parameters, { maxLength: 2 }), token)
    .map(([json, own]) => ask(url, { method: 'POST', json }, own));
  const got = fc.tuple(parameters, token).map(([given, own]) => {
    const query = Object.entries(given)
      .map(([key, value]) => `${key}=${encodeText(typeof value === 'string' ? value : JSON.stringify(value))}`)
      .join('&');
    return ask(`${url}?${query}`, { headers: { 'apollo-require-preflight': 'true' } }, own);
  });
  return {
    name: 'graphql',
    cases: fc.oneof({ weight: 8, arbitrary: posted }, { weight: 1, arbitrary: batched }, { weight: 3, arbitrary: got }),
  };
};
