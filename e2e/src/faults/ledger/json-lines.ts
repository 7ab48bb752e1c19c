import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';

/** Hands over each line of a connection as JSON. */
export const readJsonLines = (socket: Socket, take: (value: unknown) => void): void => {
  const lines = createInterface({ input: socket, crlfDelay: Infinity });
  lines.on('line', (line) => take(JSON.parse(line) as unknown));
  // whoever was killed has said all
  lines.on('error', () => undefined);
};

export const writeJsonLine = (socket: Socket, value: object): void => {
  socket.write(`${JSON.stringify(value)}\n`);
};
