import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../harness/spawned.js';
import { repositoryFiles } from './repository-files.js';

const page = readFileSync(join(root, 'docs/private-parts-of-libraries.md'), 'utf8');

/** An import of a compiled file inside a package. `ajv/dist/2020.js` is documented by its package. */
const privateImport = /(?:from |import\()'((?:@[\w-]+\/)?[\w-]+\/(?:dist|lib|src|build)\/[^']+)'/g;

test('the page lists the private modules that the code imports', () => {
  const imported = repositoryFiles(root, ['ts']).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(privateImport)].map(([, module]) => module ?? ''),
  );
  const listed = [...page.matchAll(/^\| `([^`]+\/[^`]+)` /gm)].map(([, module]) => module ?? '');
  expect(listed).not.toEqual([]);
  const documented = ['ajv/dist/2020.js'];
  expect([...new Set(imported)].filter((module) => !documented.includes(module)).toSorted()).toEqual(listed.toSorted());
});

test('the tests that the page names exist', () => {
  const tests = [...page.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
  expect(tests.length).toBeGreaterThan(5);
  expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
