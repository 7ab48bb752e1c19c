import { createServer } from 'node:net';

/** Below what systems give to outgoing connections, so that none of these takes the port before it is listened on. */
const range = { from: 12_000, to: 32_000 };

/** Test runs of one machine have a share each, by jest's number of the worker: they do not find the same port free. */
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

/** A port that nobody listens on now, and no other test is given. A service that is killed and started again keeps it. */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < steps; tried += 1) {
    step = (step + 1) % steps;
    const port = range.from + step * shares + share;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${range.from} to ${range.to}`);
};
