import { format, inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createLog } from './log.js';
import { Secret } from './secret.js';

const secret = new Secret('hunter2');

describe('Secret', () => {
  it('reveals its text on demand only', () => {
    expect(secret.reveal()).toBe('hunter2');
    for (const shown of [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 5 }),
      format('%s %o %j', secret, secret, secret),
      Object.values(secret).join(),
    ]) {
      expect(shown).not.toContain('hunter2');
    }
  });
});

describe('createLog', () => {
  const linesOf = (level: string, write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] => {
    const lines: string[] = [];
    write(createLog(level, { part: 'gateway' }, { write: (line) => void lines.push(line) }));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('writes one line of JSON with its bindings and an ISO time', () => {
    const [line] = linesOf('info', (log) => log.info({ zones: 2 }, 'ready'));
    expect(line).toMatchObject({ level: 30, part: 'gateway', zones: 2, msg: 'ready' });
    expect(line?.['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('leaves out what is below its level', () => {
    expect(linesOf('warn', (log) => log.info('quiet'))).toEqual([]);
    expect(linesOf('silent', (log) => log.error('quiet'))).toEqual([]);
  });

  it('never shows secrets, at the top or within', () => {
    const lines = linesOf('info', (log) => {
      log.info({ password: 'hunter2', secret, request: { token: 'hunter2', body: { clientSecret: 'hunter2' } } });
    });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});
