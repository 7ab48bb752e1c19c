import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '../harness/free-port.js';

const script = fileURLToPath(new URL('../../bin/lint-openapi.mjs', import.meta.url));

const lint = (source: string): Promise<{ readonly failed: boolean; readonly stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [script, source], (error, _stdout, stderr) => {
      resolve({ failed: error !== null, stderr });
    });
  });

describe('npm run lint:openapi', () => {
  it('names the address and the reason on one line when no service runs there', async () => {
    const source = `http://127.0.0.1:${await freePort()}/api/openapi.json`;
    const { failed, stderr } = await lint(source);
    expect(failed).toBe(true);
    expect(stderr).toMatch(new RegExp(String.raw`^${source} cannot be read: .*ECONNREFUSED.*\n$`));
  });

  it('names a file that does not exist', async () => {
    const { failed, stderr } = await lint('/nowhere/openapi.json');
    expect(failed).toBe(true);
    expect(stderr).toMatch(/^\/nowhere\/openapi\.json cannot be read: ENOENT.*\n$/);
  });
});
