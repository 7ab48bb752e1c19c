// The GraphiQL page: keeps the token of this tab and sends it with every request.
const { createElement } = window.React;
const { GraphiQL } = window;

const tokenKey = 'fds-token';
const root = window.ReactDOM.createRoot(document.getElementById('graphiql'));
const input = document.getElementById('token');
input.value = sessionStorage.getItem(tokenKey) ?? '';

/** Integers beyond 2^53 as strings: a browser would round them. */
const keepDigits = (json) =>
  json.replace(/"(?:\\.|[^"\\])*"|-?\d{16,}(?![\d.eE])/g, (part) => (part.startsWith('"') ? part : `"${part}"`));

const fetcher = async (operation, { headers } = {}) => {
  const token = input.value.trim();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(operation),
  });
  return JSON.parse(keepDigits(await response.text()));
};

let shown = 0;
const show = () => {
  shown += 1;
  const query = new URLSearchParams(location.search).get('query');
  // another key: GraphiQL reads the schema again, as the holder of the new token sees it
  root.render(createElement(GraphiQL, { key: shown, fetcher, ...(query === null ? {} : { query }) }));
};

document.getElementById('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(tokenKey, input.value.trim());
  show();
});
show();
