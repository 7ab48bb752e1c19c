import { createServer } from 'node:net';

/**
 * Below the ports that systems use for outgoing connections, so that none of those takes the port before the service
 * listens on it.
 */
const range = { from: 12_000, to: 32_000 };

/**
 * Each test run of a machine has a part of the range, by jest's worker number, so that two runs do not choose the same
 * free port.
 */
const shares = 8;
const share = Number(process.env['JEST_WORKER_ID'] ?? 0) % shares;

const steps = (range.to - range.from) / shares;
let step = Math.floor(Math.random() * steps);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });

/**
 * A port on which no process listens now, and that no other test gets. A service that is killed and started again keeps
 * its port.
 */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < steps; tried += 1) {
    step = (step + 1) % steps;
    const port = range.from + step * shares + share;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${range.from} to ${range.to}`);
};
