import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startText } from './start-text.js';

test.each(['fds-plain-', 'fds with blanks-', "fds of Ada's $HOME-"])(
  'the command that gets a token reads the password file in a folder named %s',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), name));
    try {
      const file = join(folder, 'dgs.password');
      writeFileSync(file, 'generated\n');
      const baseUrl = 'http://127.0.0.1:8080';
      const text = startText({
        baseUrl,
        assemblyUrl: undefined,
        busUrl: undefined,
        passwordFiles: [file],
        isPasswordGiven: true,
      });
      const [, credentials = ''] = /curl -s -u (".*") -d grant_type/.exec(text) ?? [];
      const read = execFileSync('sh', ['-c', `printf %s ${credentials}`], { encoding: 'utf8' });
      expect(read).toBe('dgs:generated');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test('the command that gets a token reads a given password from the environment, and never shows it', () => {
  const addresses = { baseUrl: 'http://127.0.0.1:8080', assemblyUrl: undefined, busUrl: undefined };
  const text = startText({ ...addresses, passwordFiles: [], isPasswordGiven: true });
  const [, credentials = ''] = /curl -s -u (".*") -d grant_type/.exec(text) ?? [];
  const env = { ...process.env, FDS_DGS_PASSWORD: 'gi"ven $x `y`' };
  expect(execFileSync('sh', ['-c', `printf %s ${credentials}`], { encoding: 'utf8', env })).toBe('dgs:gi"ven $x `y`');
  expect(startText({ ...addresses, passwordFiles: [], isPasswordGiven: false })).toContain('"dgs:$PASSWORD"');
});
