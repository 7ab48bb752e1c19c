// npm run check:decisions: heads and index of docs/decisions, and citations of decisions in code and pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decisionFaults } from '../dist/pages/decision-faults.js';
import { repositoryFiles } from '../dist/pages/repository-files.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/decisions');
const read = (path) => readFileSync(path, 'utf8');

const names = readdirSync(folder).filter((name) => name !== 'README.md');
const citing = repositoryFiles(root, ['md', 'ts', 'mjs', 'prisma', 'graphql'])
  .filter((file) => !file.endsWith('decision-faults.test.ts') && !file.endsWith('rehome-links.test.ts'))
  .map((file) => ({ file, text: read(join(root, file)) }));
const faults = decisionFaults(
  read(join(folder, 'README.md')),
  new Map(names.map((name) => [name, read(join(folder, name))])),
  citing,
);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
