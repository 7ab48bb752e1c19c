import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { runFigures } from './run-figures.js';

const never = new AbortController().signal;

describe('runFigures', () => {
  it('keeps results from before a failure, and continues with the next figure', async () => {
    const printed: string[] = [];
    const results = await runFigures(
      [
        {
          what: 'one',
          deadlineMs: 1_000,
          run: async (_signal, tell) => {
            tell('5 events/s');
            throw new Error('wrong answer');
          },
        },
        { what: 'two', deadlineMs: 1_000, run: async (_signal, tell) => tell('7 MiB') },
      ],
      never,
      (line) => printed.push(line),
    );
    expect(results).toEqual([
      { what: 'one', lines: ['5 events/s'], failure: 'wrong answer' },
      { what: 'two', lines: ['7 MiB'] },
    ]);
    expect(printed).toEqual(['one', '  5 events/s', '  FAILED: wrong answer', 'two', '  7 MiB']);
  });

  it('aborts a figure that takes too long', async () => {
    const run = async (signal: AbortSignal): Promise<void> => {
      await once(signal, 'abort');
      throw new Error('interrupted');
    };
    const results = await runFigures([{ what: 'slow', deadlineMs: 10, run }], never, () => undefined);
    expect(results).toEqual([{ what: 'slow', lines: [], failure: 'not over after 0.01 s' }]);
  });
});
