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
  if (!answer.ok) throw new Error(`it answers with status ${answer.status}`);
  return answer.text();
};

/** Why a document could not be read: `fetch` has the reason in its cause, and several addresses have one each. */
const reasonOf = ({ message, cause }) => cause?.message || cause?.code || message;

/** The document; undefined when it cannot be read, after a line that says so. */
const readOrReport = async () => {
  try {
    return await read();
  } catch (error) {
    console.error(
      `${source} cannot be read: ${reasonOf(error)}. Start the service (npm start), or pass the address or file of the document.`,
    );
    return undefined;
  }
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

const passes = async (text) => {
  await prepare();
  const passed = [await passesRedocly(text), await passesSpectral(text)];
  return passed.every(Boolean);
};

const text = await readOrReport();
process.exitCode = text !== undefined && (await passes(text)) ? 0 : 1;
