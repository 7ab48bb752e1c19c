import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Prompter } from './init.js';
import { SetupFailure } from './setup-failure.js';

/** Asks at the terminal of the process. Without a terminal, it fails with the name of the flag. */
export const openPrompter = (): Prompter => ({
  text: async (question, flag, { hidden = false } = {}) => {
    if (!process.stdin.isTTY) throw new SetupFailure(`${flag} is missing`);
    process.stdout.write(`${question}: `);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const terminal = createInterface({
      input: process.stdin,
      output: hidden ? silent : process.stdout,
      terminal: true,
    });
    try {
      const answer = (await terminal.question('')).trim();
      if (hidden) process.stdout.write('\n');
      if (answer === '') throw new SetupFailure(`${flag} is missing`);
      return answer;
    } finally {
      terminal.close();
    }
  },
});
