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
      const text = startText({ baseUrl, assemblyUrl: undefined, busUrl: undefined, passwordFiles: [file] });
      const [, credentials = ''] = /curl -s -u (".*") -d grant_type/.exec(text) ?? [];
      const read = execFileSync('sh', ['-c', `printf %s ${credentials}`], { encoding: 'utf8' });
      expect(read).toBe('dgs:generated');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
