import { execFile, spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

const moduleUrl = new URL('log.js', import.meta.url).href;

/** A script that logs so many lines in one turn, the last one as fatal, and then does something else. */
const scriptOf = (count: number, ending: string): string => `
  import { createLog } from ${JSON.stringify(moduleUrl)};
  const [log, other] = [createLog('info'), createLog('info')];
  for (let n = 1; n < ${count}; n += 1) (n % 2 ? log : other).info({ n, filler: 'x'.repeat(200) }, 'event');
  log.fatal({ n: ${count} }, 'last');
  ${ending}`;

/** The lines of a process that logs a thousand of them in one turn and then ends in the given way. */
const linesOf = (ending: string): Promise<string[]> =>
  new Promise((resolve) => {
    const script = scriptOf(1000, ending);
    const child = execFile(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { maxBuffer: 10_000_000 },
      (_error, output) => resolve(output.trimEnd().split('\n')),
    );
    child.stdin?.end();
  });

describe('the log on standard output', () => {
  it.each([
    ['ends by itself', ''],
    ['exits', 'process.exit(1);'],
    ['fails', "throw new Error('fatal');"],
    ['fails later', "setImmediate(() => { log.info({ n: 1001 }, 'more'); throw new Error('fatal'); });"],
    ['rejects', "void Promise.reject(new Error('fatal'));"],
  ])('has every line in order when the process %s', async (_what, ending) => {
    const numbers = (await linesOf(ending)).map((line) => (JSON.parse(line) as { n: number }).n);
    const expected = ending.includes('1001') ? 1001 : 1000;
    expect(numbers).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
  });

  it.each([3, 1000])('has %s lines while the process continues', async (count) => {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', scriptOf(count, 'process.stdin.resume();')],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    try {
      let output = '';
      for await (const chunk of child.stdout) {
        output += String(chunk);
        if (output.split('\n').length > count) break;
      }
      const lines = output.trimEnd().split('\n');
      expect([lines.length, JSON.parse(lines.at(-1) ?? '')]).toEqual([count, expect.objectContaining({ n: count })]);
      expect(child.exitCode).toBeNull();
    } finally {
      child.stdin.end();
    }
  });
});
