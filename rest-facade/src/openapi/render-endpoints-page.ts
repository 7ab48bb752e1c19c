import type { GraphQLSchema } from 'graphql';
import { describeApi } from './describe-api.js';
import { readRoutes } from './read-routes.js';
import type { EndpointDescription } from './describe-endpoint.js';

const parameterLine = ({ parameters }: EndpointDescription): string =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description }) => `\`${name}\`${description === undefined ? '' : ` (${description})`}`)
    .join('; ');

const section = (tag: string, endpoints: readonly EndpointDescription[]): string[] => [
  `## ${tag}`,
  '',
  '| Method | Path | What | Query parameters |',
  '|---|---|---|---|',
  ...endpoints.map((endpoint) => {
    const { method, path, summary } = endpoint.declaration;
    return `| ${method} | \`${path}\` | ${summary} | ${parameterLine(endpoint)} |`;
  }),
  '',
];

/** The reference page of REST endpoints, Markdown. */
export const renderEndpointsPage = (schema: GraphQLSchema, others: readonly EndpointDescription[] = []): string => {
  const { endpoints } = describeApi(readRoutes(schema), { others });
  const tags = [...new Set(endpoints.map(({ declaration }) => declaration.tag))];
  return [
    '# REST endpoints',
    '',
    'Paths are below `/api`. Method and path are also the permission a caller must hold; `/openapi.json` and `/openid/*` need none.',
    '',
    '<!-- generated from rest-facade/src/routes: `npm run generate:pages` -->',
    '',
    ...tags.flatMap((tag) =>
      section(
        tag,
        endpoints.filter(({ declaration }) => declaration.tag === tag),
      ),
    ),
  ].join('\n');
};
