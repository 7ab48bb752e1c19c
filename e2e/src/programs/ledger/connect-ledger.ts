import { connect } from 'node:net';
import { readJsonLines, writeJsonLine } from './json-lines.js';
import type { Answered, QuestionName, Questions } from './ledger-protocol.js';

/** The ledger from the view of a program: the system next to the adaptor, which outlives the program. */
export interface LedgerClient {
  ask<N extends QuestionName>(name: N, asks: Questions[N]['asks']): Promise<Questions[N]['answer']>;
  close(): void;
}

/** Connects to the ledger of the run. A request that the ledger can no longer answer never settles. */
export const connectLedger = (port: number): LedgerClient => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const waiting = new Map<number, (answer: unknown) => void>();
  let asked = 0;
  // the run is over and will end the adaptor soon
  socket.on('error', () => undefined);
  readJsonLines(socket, (value) => {
    const { number, answer } = value as Answered;
    waiting.get(number)?.(answer);
    waiting.delete(number);
  });
  return {
    ask: <N extends QuestionName>(name: N, asks: Questions[N]['asks']) =>
      new Promise<Questions[N]['answer']>((resolve) => {
        const number = (asked += 1);
        waiting.set(number, (answer) => resolve(answer as Questions[N]['answer']));
        writeJsonLine(socket, { number, name, asks });
      }),
    close: () => socket.destroy(),
  };
};
