import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { packageNameOf, readAdaptorPackages, resolveInWorkspace } from './workspace-package.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const packages = readAdaptorPackages(root);

const staticImport = /^(?:import|export)\s(?:[^'"`;=]*\sfrom\s)?['"]([^'"]+)['"]/gm;

/** Names of the packages that a program loads at its start: those of all static imports, through files of the workspace. */
const loadedAtStart = (program: string): ReadonlySet<string> => {
  const names = new Set<string>();
  const files = new Set([join(root, program)]);
  // the set grows while it is read
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(staticImport)) {
      const own = specifier.startsWith('.')
        ? join(dirname(file), specifier)
        : resolveInWorkspace(packages, specifier, 'default');
      const name = packageNameOf(specifier);
      if (own !== undefined) files.add(own);
      else if (name !== undefined) names.add(name);
    }
  }
  return names;
};

test.each([
  ['adaptors/database/dist/main.js', 'knex', '@vlasky/zongji'],
  ['adaptors/database/dist/main.js', 'libsql', 'pg-logical-replication'],
  ['adaptors/database/dist/main.js', 'libsql', '@opentelemetry/sdk-trace-base'],
  ['adaptors/temporal/dist/main.js', 'libsql', '@opentelemetry/api'],
  ['adaptors/database/dist/main.js', 'mqtt', 'mongodb'],
  ['adaptors/file-system/dist/main.js', 'libsql', '@aws-sdk/client-s3'],
  ['adaptors/file-system/dist/main.js', 'mqtt', '@aws-sdk/lib-storage'],
])('the start of %s loads %s, and not %s', (program, needed, onDemand) => {
  const loaded = loadedAtStart(program);
  expect(loaded.has(needed)).toBe(true);
  expect(loaded.has(onDemand)).toBe(false);
});
