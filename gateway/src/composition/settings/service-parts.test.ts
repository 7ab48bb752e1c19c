import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { subgraphNames } from '@fds/graphql';
import { loadServiceSettings } from './service-settings.js';

const root = new URL('../../../../', import.meta.url);
const sorted = [...subgraphNames].toSorted();

test('every folder of a subgraph is in the list of subgraphs', () => {
  const folders = readdirSync(new URL('subgraphs/', root)).filter((name) =>
    existsSync(new URL(`subgraphs/${name}/schema.graphql`, root)),
  );
  expect(folders.toSorted()).toEqual(sorted);
});

test('the supergraph is composed of the subgraphs of the list', () => {
  const supergraph = readFileSync(new URL('gateway/supergraph.graphql', root), 'utf8');
  const composed = [...supergraph.matchAll(/@join__graph\(name: "(\w+)"/g)].map(([, name = '']) => name);
  expect(composed.toSorted()).toEqual(sorted);
});

test('a gateway alone needs the address of every subgraph', () => {
  const environment = { FDS_PARTS: 'gateway', FDS_BUS_URL: 'mqtt://127.0.0.1:1883' };
  const faults = subgraphNames.map((name) => `FDS_${name.toUpperCase()}_URL: required where ${name} runs elsewhere`);
  expect(() => loadServiceSettings(environment)).toThrow(expect.objectContaining({ faults }));
});
