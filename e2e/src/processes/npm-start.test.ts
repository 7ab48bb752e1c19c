import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { request } from 'undici';
import { freePort } from '../harness/free-port.js';
import { createLeftovers } from '../harness/leftovers.js';
import { root } from '../harness/spawned.js';

const readProcess = (pid: string, file: 'cmdline' | 'environ'): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // the process ended in the meantime, or belongs to another user
    return '';
  }
};

/** Command lines of the processes whose command line or environment names the folder (Linux only). */
const processesNaming = (text: string): string[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && entry !== String(process.pid))
    .filter((pid) => `${readProcess(pid, 'cmdline')} ${readProcess(pid, 'environ')}`.includes(text))
    .map((pid) => `${pid} ${readProcess(pid, 'cmdline')}`);

describe.each(['SIGTERM', 'SIGINT'] as const)('npm start, ended by %s', (signal) => {
  const leftovers = createLeftovers();
  afterEach(() => leftovers.dispose(), 120_000);

  it('is healthy, explains how to get a token, leaves no process running, and removes build output of deleted sources', async () => {
    const stale = join(root, `gateway/dist/gone-before-${signal}.js`);
    writeFileSync(stale, '');
    leftovers.add(() => rmSync(stale, { force: true }));
    const dataDir = mkdtempSync(join(tmpdir(), 'fds-npm-start-'));
    chmodSync(dataDir, 0o755);
    leftovers.add(() => rmSync(dataDir, { recursive: true, force: true }));
    const port = await freePort();
    const npm = spawn('npm', ['start'], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        FDS_PORT: String(port),
        FDS_BUS_PORT: '0',
        FDS_ASSEMBLY_PORT: '0',
        FDS_DRAIN_SECONDS: '0',
        FDS_DATA_DIR: dataDir,
      },
    });
    const printed: string[] = [];
    npm.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    npm.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    leftovers.add(() => {
      if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
    });
    await eventually(
      async () => {
        if (npm.exitCode !== null) throw new Error(printed.join(''));
        const { statusCode, body } = await request(`http://127.0.0.1:${port}/health`);
        expect([statusCode, ((await body.json()) as { status: string }).status]).toEqual([200, 'UP']);
      },
      { deadlineMs: 120_000, intervalMs: 200 },
    );
    await eventually(() => expect(printed.join('')).toContain('grant_type=client_credentials'));
    expect(processesNaming(dataDir).length).toBeGreaterThan(0);
    expect(existsSync(stale)).toBe(false);

    const exited = once(npm, 'exit');
    // a terminal sends Ctrl-C to the whole foreground group, a supervisor sends SIGTERM to the process it started
    process.kill(signal === 'SIGINT' ? -(npm.pid ?? 0) : (npm.pid ?? 0), signal);
    await exited;
    await eventually(() => expect(processesNaming(dataDir)).toEqual([]), { deadlineMs: 20_000 });
  }, 240_000);
});
