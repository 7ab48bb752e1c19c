import { eventually } from '@fds/testing';
import { request } from 'undici';
import { freePort } from '../../harness/free-port.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { spawnScript } from '../../harness/spawned.js';

/**
 * Starts a comparator as a separate process, so that both sides have the same cores.
 *
 * @param program file of `servers/`, without extension; it reads its port from PORT and is ready when it answers
 * @returns its origin
 */
export const startComparator = async (
  leftovers: Leftovers,
  program: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> => {
  const port = await freePort();
  const spawned = spawnScript({
    script: `e2e/dist/bench/servers/${program}.js`,
    environment: { ...environment, PORT: String(port) },
  });
  leftovers.add(async () => {
    await spawned.end('SIGKILL');
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (!spawned.running) throw new Error(`${program} ended:\n${spawned.output()}`);
    await (await request(origin)).body.dump();
  });
  return origin;
};
