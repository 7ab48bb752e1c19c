import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let folder: string;
let script: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-program-'));
  script = join(folder, 'program.mjs');
  const source = pathToFileURL(join(import.meta.dirname, 'run-program.js')).href;
  writeFileSync(
    script,
    `import { runProgram } from ${JSON.stringify(source)};
     const own = { tableName: { name: 'table.name', variable: 'TABLE_NAME', meaning: 'the table', read: (it) => it, form: 'a name' } };
     await runProgram({ name: 'fds-example', purpose: 'An example.', properties: own, check: () => 'valid', run: async () => console.log('runs') });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env['PATH'] } };
    execFile(process.execPath, [script, ...args], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });

describe('the program of an adaptor', () => {
  it.each(['--help', '-h'])('prints its usage and its properties for %s', async (option) => {
    const { code, out, err } = await run(option);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('An example.');
    expect(out).toContain('Usage: fds-example [options]');
    expect(out).toContain('--check');
    expect(out).toMatch(/adaptor\.uuid, ADAPTOR_UUID: adaptor uuid \(required\)/);
    expect(out).toMatch(/concurrency, CONCURRENCY: .*\(default 1\)/);
    expect(out).toContain('table.name, TABLE_NAME: the table (required)');
  });

  it.each([
    [['--chek'], 'there is no option --chek (nearest: "--check")'],
    [['--configuration', 'x'], 'there is no option --configuration'],
    [['check'], '"check" is not an option'],
    [['--config'], '--config names no file'],
    [['--check=yes'], '--check takes no value'],
  ])('refuses %j', async (args, fault) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(fault);
    expect(err).toContain('Usage: fds-example');
  });

  it('runs without arguments, and with a properties file', async () => {
    expect(await run()).toMatchObject({ code: 0, out: 'runs\n' });
    expect(await run('--config', 'adaptor.properties')).toMatchObject({ code: 0, out: 'runs\n' });
  });

  it('names the missing properties when it checks without them', async () => {
    const { code, err } = await run('--check');
    expect([code, err]).toEqual([1, expect.stringContaining('adaptor.uuid (ADAPTOR_UUID) is missing')]);
  });
});
