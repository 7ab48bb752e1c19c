import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';

it('keeps its journal in a folder named by the uuid, which comes from an environment variable', async () => {
  const home = mkdtempSync(join(tmpdir(), 'fds-file-home-'));
  const adaptorUuid = randomUUID();
  const properties = [
    'adaptor.uuid = ${OWN_UUID}',
    'client.id = x',
    'client.secret = y',
    'message.bus.url = tcp://127.0.0.1:9',
    'hostname = 127.0.0.1',
    'port = 0',
  ];
  writeFileSync(join(home, 'adaptor.properties'), properties.join('\n'));
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const environment = { PATH: process.env['PATH'], HOME: home, HOSTNAME: '127.0.0.1', OWN_UUID: adaptorUuid };
  const child = spawn(process.execPath, [main], { cwd: home, env: environment, stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const folder = join(home, '.fds-adaptor', adaptorUuid);
    await eventually(() => {
      const made = ['journal.db', 'file_monitor.db'].map((file) => [file, existsSync(join(folder, file))]);
      expect(made).toEqual([
        ['journal.db', true],
        ['file_monitor.db', true],
      ]);
    });
  } finally {
    child.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
});
