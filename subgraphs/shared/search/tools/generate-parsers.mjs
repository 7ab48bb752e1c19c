// Writes the parsers of the grammars; with --check only says which are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import peggy from 'peggy';

const source = new URL('../src/', import.meta.url);

for (const [grammar, parser] of [
  ['search-query', 'search-query-parser'],
  ['pattern', 'pattern-parser'],
]) {
  const grammarFile = `grammar/${grammar}.peggy`;
  const generated = peggy.generate(readFileSync(new URL(grammarFile, source), 'utf8'), {
    output: 'source',
    format: 'es',
  });
  const text = `// @ts-nocheck generated from ../${grammarFile}: npm run generate -w @fds/search\n${generated}\n`;
  const file = fileURLToPath(new URL(`generated/${parser}.ts`, source));
  let present;
  try {
    present = readFileSync(file, 'utf8');
  } catch {
    present = undefined;
  }
  if (present === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is stale: npm run generate -w @fds/search`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
}
