// Composes the static parts of the subgraphs to gateway/supergraph.graphql; with --check only says whether it is fresh.
import { readFileSync, writeFileSync } from 'node:fs';
import { composeSupergraph } from './stitching/compose-supergraph.js';

const subgraphNames = ['catalog', 'governance', 'records', 'assembly'];
const target = new URL('../supergraph.graphql', import.meta.url);

const readIfThere = (file: URL): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const composed = composeSupergraph(
  subgraphNames.map((name) => ({
    name,
    typeDefs: readFileSync(new URL(`../../subgraphs/${name}/schema.graphql`, import.meta.url), 'utf8'),
  })),
);
const isFresh = readIfThere(target) === composed;
if (!process.argv.includes('--check')) {
  if (!isFresh) writeFileSync(target, composed);
} else if (!isFresh) {
  console.error('gateway/supergraph.graphql is stale: run `node gateway/dist/compose-static.js`');
  process.exitCode = 1;
}
