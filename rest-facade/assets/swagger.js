// The Swagger UI page: the document as the caller sees it, sent with the token of this tab.
import { fillOperations } from './fill-operations.js';
import { filterOperations } from './filter-operations.js';
import { showRecordTypes } from './record-types.js';
import { currentToken, endSession, openSession } from './session.js';

const maxDomains = 20;

/** Reads a path below /api as the caller; undefined: the request is refused. */
const read = async (path) => {
  const token = currentToken();
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`/api${path}`, { headers });
  return answer.ok ? answer.json() : undefined;
};

/** The document that describes the records of the caller's first domains; without any, the general one. */
const readDocument = async (holder) => {
  const listed = holder === undefined ? undefined : await read(`/domains?size=${maxDomains}&filters=active:true`);
  const names = (listed?.domains ?? []).filter(({ versionCount }) => versionCount > 0).map(({ name }) => name);
  const own = names.length === 0 ? undefined : await read(`/openapi.json?domains=${names.join(',')}`);
  return own ?? read('/openapi.json');
};

const recordTypesOf = ({ components }) =>
  Object.entries(components.schemas)
    .filter(([, { externalDocs }]) => externalDocs !== undefined)
    .map(([name]) => name);

const withoutAuthorizeButtons = () => ({
  wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
});

const show = async () => {
  const holder = await openSession();
  const spec = await readDocument(holder);
  // the API has the same origin as the page
  spec.servers = [{ url: '/api' }];
  showRecordTypes(recordTypesOf(spec));
  const ownOrigins = new Set([location.origin, ...serverOriginsOf(spec)]);
  window.ui = window.SwaggerUIBundle({
    spec,
    dom_id: '#swagger-ui',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    plugins: [withoutAuthorizeButtons, filterOperations, fillOperations({ spec, holder, read })],
    requestInterceptor: (request) => {
      const token = currentToken();
      const isOwn = ownOrigins.has(new URL(request.url, location.href).origin);
      if (token !== undefined && isOwn) request.headers.Authorization = `Bearer ${token}`;
      return request;
    },
    responseInterceptor: (response) => {
      if (response.status === 401 && currentToken() !== undefined) endSession();
      return response;
    },
  });
};

/** Origins of servers of single operations: the assembly service. */
const serverOriginsOf = ({ paths }) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ servers = [] }) => servers.map(({ url }) => new URL(url, location.href).origin));

await show();
