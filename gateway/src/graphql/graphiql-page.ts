import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { servePageFile, withBaseUrl } from '@fds/rest-facade';
import type { FastifyPluginAsync } from 'fastify';

const require = createRequire(import.meta.url);

/** Path of a file of an installed package, even if the package does not export it. */
const fileOf = (packageName: string, file: string): string =>
  join(dirname(require.resolve(`${packageName}/package.json`)), file);

const ownFile = (name: string): string => fileURLToPath(new URL(`../../assets/${name}`, import.meta.url));

interface Asset {
  readonly file: string;
  readonly type: string;
}

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

/**
 * Everything that the page loads, except the sign-in, which it shares with the page of Swagger UI. Nothing is loaded
 * from other hosts.
 */
const assets: Readonly<Record<string, Asset>> = {
  'react.js': { file: fileOf('react', 'umd/react.production.min.js'), type: script },
  'react-dom.js': { file: fileOf('react-dom', 'umd/react-dom.production.min.js'), type: script },
  'graphiql.js': { file: fileOf('graphiql', 'graphiql.min.js'), type: script },
  'graphiql.css': { file: fileOf('graphiql', 'graphiql.min.css'), type: style },
  'page.js': { file: ownFile('page.js'), type: script },
  'example-query.js': { file: ownFile('example-query.js'), type: script },
  'page.css': { file: ownFile('page.css'), type: style },
};

/** Allows files of this server only. The editor sets styles on its elements. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The GraphiQL page that browsers get. */
export interface GraphiqlPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the page. It needs no token: the reader signs in on the page. */
export const loadGraphiqlPage = (baseUrl: string): GraphiqlPage => ({
  html: withBaseUrl(readFileSync(ownFile('graphiql.html'), 'utf8'), baseUrl),
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'accept',
  },
});

/** The files of the page, below `/graphql/assets`. */
export const graphiqlAssets: FastifyPluginAsync = async (app) => {
  for (const [name, { file, type }] of Object.entries(assets)) {
    servePageFile(app, { path: `/graphql/assets/${name}`, file, type });
  }
};
