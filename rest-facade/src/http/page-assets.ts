import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { servePageFile } from './serve-page-file.js';

const require = createRequire(import.meta.url);

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Path of a file of an installed package, even if the package does not export it. */
const packageFile = (packageName: string, file: string): string =>
  join(dirname(require.resolve(`${packageName}/package.json`)), file);

const ownFile = (name: string): string => fileURLToPath(new URL(`../../assets/${name}`, import.meta.url));

/** Everything that the pages load, by the last part of its path. Nothing is loaded from other hosts. */
const files: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': packageFile('@fastify/swagger-ui', 'static/swagger-ui-bundle.js'),
  'swagger-ui.css': packageFile('@fastify/swagger-ui', 'static/swagger-ui.css'),
  ...Object.fromEntries(
    ['swagger.js', 'session.js', 'session.css', 'record-types.js', 'filter-operations.js', 'fill-operations.js'].map(
      (name) => [name, ownFile(name)],
    ),
  ),
};

/** Serves the files of the pages below `/docs/assets`. The page of GraphiQL also uses those of the sign-in. */
export const addPageAssets = (docs: FastifyInstance): void => {
  for (const [name, file] of Object.entries(files)) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    servePageFile(docs, { path: `/docs/assets/${name}`, file, type });
  }
};

/** The HTML of the page of Swagger UI. */
export const readSwaggerHtml = (): string => readFileSync(ownFile('swagger.html'), 'utf8');
