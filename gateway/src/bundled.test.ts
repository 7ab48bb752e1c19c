import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

interface ChunkContent {
  readonly chunk: string;
  /** Chunks and packages that are loaded with the chunk. */
  readonly needs: readonly string[];
  /** Files that are in the chunk. */
  readonly sources: readonly string[];
}

const bundle = fileURLToPath(new URL('bundle', import.meta.url));
const contents = JSON.parse(readFileSync(join(bundle, 'contents.json'), 'utf8')) as readonly ChunkContent[];

/** The chunks and outside packages that a start loads. */
const loadedAtStart = (): ReadonlySet<string> => {
  const chunks = new Map(contents.map((content) => [content.chunk, content]));
  const service = contents.find(({ chunk }) => chunk.startsWith('service-'));
  const loaded = new Set([service?.chunk ?? '']);
  // the set grows while it is read
  for (const name of loaded) for (const needed of chunks.get(name)?.needs ?? []) loaded.add(needed);
  return loaded;
};

/** Sources that are imported on demand: docs/decisions/0081-bundled-start.md#a-start-loads-what-it-needs */
const onDemand = [
  'gateway/dist/authorization-server/create-provider.js',
  'gateway/dist/data-sources/http-data-source.js',
  'gateway/dist/graphql/apollo/open-apollo.js',
  'gateway/dist/mcp/answer-message.js',
  'node_modules/@modelcontextprotocol/',
  'gateway/dist/stitching/operation-planner.js',
  'gateway/dist/stitching/run-query-plan.js',
  'subgraphs/shared/webhook-client/dist/http/open-guarded-exchange.js',
  'subgraphs/shared/service/dist/readable-output.js',
  'adaptors/broker/dist/index.js',
  'adaptors/bus/dist/connect-server-bus.js',
  'adaptors/protocol/dist/tracing/create-tracer.js',
  'node_modules/@opentelemetry/',
  'node_modules/@apollo/server/',
  'node_modules/@apollo/gateway/',
  'node_modules/@apollo/query-planner/',
  'node_modules/openid-client/',
  'node_modules/undici/',
  'node_modules/koa/',
  'node_modules/@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64',
];

test.each(onDemand)('a start does not load %s', (source) => {
  const loaded = loadedAtStart();
  const holders = contents.filter(({ sources }) => sources.some((each) => each.startsWith(source)));
  expect(holders).not.toEqual([]);
  expect(holders.map(({ chunk }) => chunk).filter((chunk) => loaded.has(chunk))).toEqual([]);
});

test.each(['aedes', 'graphile-worker', 'mqtt'])('a start does not load the package %s', (name) => {
  expect([...loadedAtStart()].filter((each) => each === name || each.startsWith(`${name}/`))).toEqual([]);
});

/** The chunks that a chunk brings: by imports that are not on demand. */
const broughtBy = (chunk: string): ReadonlySet<string> => {
  const brought = new Set([chunk]);
  for (const name of brought)
    for (const needed of contents.find((each) => each.chunk === name)?.needs ?? []) brought.add(needed);
  return brought;
};

test('nothing but the traces brings a package of OpenTelemetry', () => {
  const holds = ({ sources }: ChunkContent, start: string) => sources.some((each) => each.startsWith(start));
  const holders = contents.filter((each) => holds(each, 'node_modules/@opentelemetry/')).map(({ chunk }) => chunk);
  const bringers = contents.filter(({ chunk }) => holders.some((holder) => broughtBy(chunk).has(holder)));
  const traces = contents.filter((each) => holds(each, 'adaptors/protocol/dist/tracing/create-tracer.js'));
  expect(traces).toHaveLength(1);
  const own = broughtBy(traces[0]?.chunk ?? '');
  expect(bringers.map(({ chunk }) => chunk).filter((chunk) => !own.has(chunk))).toEqual([]);
});

test('a start loads the modules of the service', () => {
  const loaded = loadedAtStart();
  const sources = contents.filter(({ chunk }) => loaded.has(chunk)).flatMap((content) => content.sources);
  expect(sources).toContain('gateway/dist/main.js');
  expect(sources).toContain('gateway/dist/composition/start-service.js');
});

// V8 keeps a text with one character beyond Latin-1 in two bytes for each character
test('the chunks are ASCII', () => {
  const chunks = readdirSync(bundle).filter(
    (name) => name.endsWith('.mjs') && !['main.mjs', 'restore.mjs'].includes(name),
  );
  expect(chunks).toHaveLength(contents.length);
  const others = chunks.filter((name) => readFileSync(join(bundle, name)).some((byte) => byte > 127));
  expect(others).toEqual([]);
});
