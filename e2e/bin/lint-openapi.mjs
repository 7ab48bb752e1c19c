// npm run lint:openapi: the rules of Redocly and of Spectral on the OpenAPI document of a running service, or of FILE. Gets
// Spectral from the registry.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, run } from '../../gateway/bin/prepare.mjs';

const spectral = '@stoplight/spectral-cli@6.16.3';
const [source = 'http://127.0.0.1:8080/api/openapi.json'] = process.argv.slice(2);

const read = async () => {
  if (!/^https?:/.test(source)) return readFileSync(source, 'utf8');
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${source} answers ${answer.status}`);
  return answer.text();
};

/** Whether the rules of redocly.yaml find nothing. */
const passesRedocly = async (text) => {
  const { lintDocument } = await import('../dist/doors/rest/clients/lint-document.js');
  const faults = await lintDocument(text);
  for (const fault of faults) console.error(`redocly: ${fault}`);
  console.log(`redocly: ${faults.length} faults`);
  return faults.length === 0;
};

const passesSpectral = async (text) => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-lint-'));
  try {
    const [document, ruleset] = [join(folder, 'openapi.json'), join(folder, 'ruleset.json')];
    writeFileSync(document, text);
    writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
    // installed for this run, without its script that reports the installation
    const npx = ['--yes', '--ignore-scripts', spectral, 'lint', '--ruleset', ruleset, '--fail-severity=hint', document];
    return (await run('npx', npx)) === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const text = await read();
await prepare();
const passed = [await passesRedocly(text), await passesSpectral(text)];
process.exitCode = passed.every(Boolean) ? 0 : 1;
