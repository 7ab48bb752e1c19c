import { describe, expect, it } from '@jest/globals';
import { createLog } from './log.js';

const linesOf = (write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] => {
  const lines: string[] = [];
  write(createLog('info', { part: 'test' }, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe('createLog', () => {
  it('writes one JSON line with level, time, bindings and members', () => {
    const [line, ...others] = linesOf((log) => log.info({ requestId: 'r', status: 200 }, 'request'));
    expect(line).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      part: 'test',
      requestId: 'r',
      status: 200,
      msg: 'request',
    });
    expect(others).toEqual([]);
  });

  it('writes nothing below its level', () => {
    expect(linesOf((log) => log.debug('detail'))).toEqual([]);
  });

  it("hides values with secret names, however deep, and does not change the caller's object", () => {
    const member = {
      password: 'p',
      list: [{ token: 't', name: 'n' }],
      a: { b: { c: { clientSecret: 's', kept: 1 } } },
    };
    const [line] = linesOf((log) => log.warn({ member, authorization: 'Bearer x' }, 'odd'));
    expect(line).toMatchObject({
      authorization: '***',
      member: {
        password: '***',
        list: [{ token: '***', name: 'n' }],
        a: { b: { c: { clientSecret: '***', kept: 1 } } },
      },
    });
    expect(member.password).toBe('p');
    expect(member.list[0]?.token).toBe('t');
  });

  it('logs an error with its stack, and hides secrets that it carries', () => {
    const error = Object.assign(new TypeError('no way'), { code: 'E1', config: { secret: 's' } });
    const [named, bare] = linesOf((log) => {
      log.error({ err: error }, 'failed');
      log.error(error);
    });
    for (const line of [named, bare]) {
      expect(line?.['err']).toMatchObject({
        type: 'TypeError',
        message: 'no way',
        stack: expect.stringContaining('no way'),
        code: 'E1',
        config: { secret: '***' },
      });
    }
    expect(error.config.secret).toBe('s');
  });
});
