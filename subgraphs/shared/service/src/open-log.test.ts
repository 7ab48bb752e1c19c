import { expect, it } from '@jest/globals';
import { noteRequest } from './note-request.js';
import { openLog } from './open-log.js';

type Format = Parameters<typeof openLog>[1];

/** Statuses of the request lines that a log writes for a success, a redirection, a refusal and a failure. */
const statusesOf = async (level: string, format: Format, isTerminal: boolean): Promise<number[]> => {
  const written: string[] = [];
  const log = await openLog(level, format, { isTerminal, lines: { write: (line) => void written.push(line) } });
  for (const status of [200, 303, 404, 500]) {
    noteRequest(log.child({}), { requestId: 'r', method: 'GET', route: '/api/zones', status, ms: 1 });
  }
  return written.flatMap((line) => {
    const [, status] = /"status":(\d+)/.exec(line) ?? [];
    return status === undefined ? [] : Number(status);
  });
};

const all = [200, 303, 404, 500];

it.each([
  ['auto', 'info', true, [404, 500]],
  ['auto', 'debug', true, all],
  ['auto', 'info', false, all],
  ['readable', 'info', true, all],
  ['json', 'info', true, all],
] as const)(
  'the format %s at level %s, on a terminal: %s, shows requests of the statuses %j',
  async (format, level, isTerminal, shown) => {
    expect(await statusesOf(level, format, isTerminal)).toEqual(shown);
  },
);
