// The GraphiQL page: sends the token of this tab with every request, and shows an example query of each record type.
import { exampleQueryOf } from './example-query.js';

/** A module that this page shares with the page of Swagger UI. */
const loadShared = (name) => import(new URL(`/docs/assets/${name}`, location.origin).href);
const { showRecordTypes } = await loadShared('record-types.js');
const { currentToken, endSession, openSession } = await loadShared('session.js');

const { createElement } = window.React;
const { GraphiQL } = window;

/** Integers beyond 2^53 as strings: a browser would round them. */
const keepDigits = (json) =>
  json.replace(/"(?:\\.|[^"\\])*"|-?\d{16,}(?![\d.eE])/g, (part) => (part.startsWith('"') ? part : `"${part}"`));

const fetcher = async (operation, { headers } = {}) => {
  const token = currentToken();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(operation),
  });
  if (response.status === 401 && token !== undefined) endSession();
  return JSON.parse(keepDigits(await response.text()));
};

const readRecordTypes = async () => {
  const { data } = await fetcher({ query: '{ __schema { queryType { fields { name } } } }' });
  const names = data?.__schema.queryType.fields.map(({ name }) => name) ?? [];
  return names.filter((name) => name.startsWith('dr_')).sort();
};

/** Text of the editor when the browser remembers no query. Every caller can run it unchanged. */
const firstQuery = `# The domains that you may see. The links above show an example query of each record type.
{
  domains(size: 10) {
    data {
      name
      domainType
      description
      versions { versionNumber }
    }
    page { totalElements }
  }
}
`;

const unknownType = (name) => `# There is no record type ${name} that you may see.\n`;

/** Initial text of the editor: the query of the address, or the example of its record type. */
const startQuery = async (recordTypes) => {
  const parameters = new URLSearchParams(location.search);
  const recordType = parameters.get('recordType');
  if (recordType === null) return parameters.get('query');
  if (recordTypes === undefined) return '# Sign in to see the example query of the record type.\n';
  // a comment holds no text of the address
  if (!recordTypes.includes(recordType)) return unknownType(recordType.replaceAll(/\W/g, ''));
  return exampleQueryOf(recordType, fetcher);
};

const holder = await openSession();
const recordTypes = holder === undefined ? undefined : await readRecordTypes();
showRecordTypes(recordTypes ?? []);
const query = await startQuery(recordTypes);
window.ReactDOM.createRoot(document.getElementById('graphiql')).render(
  createElement(GraphiQL, { fetcher, defaultQuery: firstQuery, ...(query === null ? {} : { query }) }),
);
