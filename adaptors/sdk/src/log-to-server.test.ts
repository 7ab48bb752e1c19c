import { describe, expect, it } from '@jest/globals';
import type { LogEntry } from '@fds/adaptor-protocol';
import { logToServer } from './log-to-server.js';

describe('the log that reaches the server', () => {
  it('contains the messages of warnings and errors, without their details', () => {
    const [sent, own]: [LogEntry[], string[]] = [[], []];
    const write = (detail: object, message: string) => void own.push(`${message} ${JSON.stringify(detail)}`);
    const log = logToServer({ error: write, warn: write, info: write, debug: write }, (entry) => sent.push(entry));
    log.error({ row: 1 }, 'wrong');
    log.warn({ row: 2 }, 'odd');
    log.info({ row: 3 }, 'fine');
    log.debug({ row: 4 }, 'detail');
    expect(sent).toEqual([
      { level: 'ERROR', message: 'wrong' },
      { level: 'WARN', message: 'odd' },
    ]);
    expect(own).toEqual(['wrong {"row":1}', 'odd {"row":2}', 'fine {"row":3}', 'detail {"row":4}']);
  });
});
