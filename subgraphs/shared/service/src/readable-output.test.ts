import { expect, it } from '@jest/globals';
import { createLog } from './log.js';
import { readableOutput } from './readable-output.js';

it('shows time, level, message and members on one line, and masks secrets', () => {
  const written: string[] = [];
  const log = createLog('info', {}, readableOutput(false, { write: (line) => void written.push(line) }));
  log.info({ method: 'GET', route: '/api/zones', status: 200, password: 'hunter2' }, 'request');
  log.debug('not shown');
  const [line = '', ...rest] = written.join('').trimEnd().split('\n');
  expect(rest).toEqual([]);
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request .*"method":"GET".*"status":200/);
  expect(line).not.toContain('hunter2');
});
