import { execFile } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

const moduleUrl = new URL('log.js', import.meta.url).href;

/** The lines of a process that logs a thousand of them in one turn and then ends in the given way. */
const linesOf = (ending: string): Promise<string[]> =>
  new Promise((resolve) => {
    const script = `
      import { createLog } from ${JSON.stringify(moduleUrl)};
      const [log, other] = [createLog('info'), createLog('info')];
      for (let n = 1; n < 1000; n += 1) (n % 2 ? log : other).info({ n, filler: 'x'.repeat(200) }, 'event');
      log.fatal({ n: 1000 }, 'last');
      ${ending}`;
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
});
