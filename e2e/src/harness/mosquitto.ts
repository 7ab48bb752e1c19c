import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { freePort } from './free-port.js';
import type { Leftovers } from './leftovers.js';

/** A broker that is not part of the product, with user names, passwords and an ACL. */
export interface Mosquitto {
  readonly url: string;
  /** The user name of servers. */
  readonly server: { readonly username: string; readonly password: string };
  /** Adds a user like an operator does: writes the password file and makes the broker read it again. */
  admit(username: string, password: string): Promise<void>;
  output(): string;
  /** Sends SIGKILL. The broker loses all its messages. */
  kill(): Promise<void>;
  /** Starts it again on the same port, and waits until it listens. */
  start(): Promise<void>;
}

/** Settings of a service that uses the broker. */
export const mosquittoSettings = ({ url, server }: Mosquitto): Readonly<Record<string, string>> => ({
  FDS_BUS_URL: url,
  FDS_BUS_USERNAME: server.username,
  FDS_BUS_PASSWORD: server.password,
});

const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
const find = (program: string): string | undefined =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));

const programs = { broker: find('mosquitto'), passwords: find('mosquitto_passwd') };

/** The reason why a test that needs the broker is skipped; undefined if it is installed. */
export const mosquittoMissing: string | undefined =
  programs.broker === undefined || programs.passwords === undefined ? 'mosquitto is not installed' : undefined;

/**
 * Servers read messages of adaptors and write to adaptors. Each adaptor has its own tree; its uuid is its user name.
 */
const accessRules = `user fds-server
topic read fds/v1/a/+/up/#
topic write fds/v1/a/+/down/#

pattern write fds/v1/a/%u/up/#
pattern read fds/v1/a/%u/down/#
`;

const configurationOf = (folder: string, port: number): string => `listener ${port} 127.0.0.1
allow_anonymous false
password_file ${folder}/passwords
acl_file ${folder}/acl
persistence false
set_tcp_nodelay true
max_queued_messages 0
log_dest stderr
user root
`;

const untilItListens = (port: number): Promise<void> =>
  eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
    } finally {
      socket.destroy();
    }
  });

/** Starts the broker on a free port; the leftovers end it. @throws Error when it is not installed */
export const startMosquitto = async (leftovers: Leftovers): Promise<Mosquitto> => {
  const { broker, passwords } = programs;
  if (broker === undefined || passwords === undefined) throw new Error(mosquittoMissing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-mosquitto-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const server = { username: 'fds-server', password: 'server-password-of-the-journey' };
  const setPassword = (username: string, password: string): void => {
    const { status, stderr } = spawnSync(passwords, ['-b', `${folder}/passwords`, username, password]);
    if (status !== 0) throw new Error(`mosquitto_passwd ended with ${status}: ${stderr.toString()}`);
  };
  writeFileSync(`${folder}/passwords`, '');
  chmodSync(`${folder}/passwords`, 0o600);
  setPassword(server.username, server.password);
  writeFileSync(`${folder}/acl`, accessRules, { mode: 0o600 });
  writeFileSync(`${folder}/mosquitto.conf`, configurationOf(folder, port));

  const printed: string[] = [];
  const launch = () => {
    const child = spawn(broker, ['-c', `${folder}/mosquitto.conf`], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    return { child, exited: once(child, 'exit') };
  };
  let current = launch();
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    current.child.kill(signal);
    await current.exited;
  };
  leftovers.add(() => end('SIGTERM'));
  await untilItListens(port);

  const reloads = (): number => printed.join('').split('Reloading config').length - 1;
  return {
    url: `tcp://127.0.0.1:${port}`,
    server,
    admit: async (username, password) => {
      setPassword(username, password);
      const before = reloads();
      current.child.kill('SIGHUP');
      await eventually(() => {
        if (reloads() === before) throw new Error(`mosquitto has not read its files again:\n${printed.join('')}`);
      });
    },
    output: () => printed.join(''),
    kill: () => end('SIGKILL'),
    start: async () => {
      current = launch();
      await untilItListens(port);
    },
  };
};
