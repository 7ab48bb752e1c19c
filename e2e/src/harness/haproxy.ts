import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { request } from 'undici';
import type { Leftovers } from './leftovers.js';

const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
const program = folders.map((folder) => join(folder, 'haproxy')).find((path) => existsSync(path));

/** The reason why a test that needs the load balancer is skipped; undefined if it is installed. */
export const haproxyMissing: string | undefined = program === undefined ? 'haproxy is not installed' : undefined;

/** 200 when the load balancer sends requests to all servers, otherwise 503. */
export const allUpPath = '/all-up';

/** The configuration of docs/operations/load-balancer.md, with the addresses of a test. */
const configurationOf = (port: number, servers: readonly number[]): string => `defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  timeout check 2s
listen hub
  bind 127.0.0.1:${port}
  option httpchk GET /health
  default-server check inter 500ms fall 2 rise 1
  monitor-uri ${allUpPath}
  monitor fail if { nbsrv lt ${servers.length} }
${servers.map((at, index) => `  server hub${index + 1} 127.0.0.1:${at}`).join('\n')}
`;

/** Starts HAProxy in front of the ports; the leftovers end it. @throws Error when it is not installed */
export const startHaproxy = async (leftovers: Leftovers, port: number, servers: readonly number[]): Promise<void> => {
  if (program === undefined) throw new Error(haproxyMissing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-haproxy-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(`${folder}/haproxy.cfg`, configurationOf(port, servers));
  const child = spawn(program, ['-db', '-f', `${folder}/haproxy.cfg`], { stdio: ['ignore', 'ignore', 'ignore'] });
  const exited = once(child, 'exit');
  leftovers.add(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await eventually(async () => {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${allUpPath}`);
    await body.dump();
    if (statusCode !== 200) throw new Error(`haproxy answers ${statusCode}`);
  });
};
