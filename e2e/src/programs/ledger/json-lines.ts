import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';

/** Calls `take` for each line of a connection, parsed as JSON. */
export const readJsonLines = (socket: Socket, take: (value: unknown) => void): void => {
  const lines = createInterface({ input: socket, crlfDelay: Infinity });
  lines.on('line', (line) => take(JSON.parse(line) as unknown));
  // a killed process sends nothing more
  lines.on('error', () => undefined);
};

export const writeJsonLine = (socket: Socket, value: object): void => {
  socket.write(`${JSON.stringify(value)}\n`);
};
