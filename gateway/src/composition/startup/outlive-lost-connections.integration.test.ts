import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const module = fileURLToPath(new URL('./outlive-lost-connections.js', import.meta.url));

/** A process in which a promise without a handler is rejected. */
const endOf = (code: string) => {
  const script = `
    const { outliveLostConnections } = await import(${JSON.stringify(module)});
    outliveLostConnections({ error: (_detail, message) => console.log(message) });
    void Promise.reject(Object.assign(new Error('lost'), { code: ${JSON.stringify(code)} }));
    setImmediate(() => console.log('alive'));`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return { status, stdout };
};

describe('outliveLostConnections', () => {
  it('logs a statement that failed because its connection was lost, and keeps the process running', () => {
    expect(endOf('57P01')).toEqual({
      status: 0,
      stdout: 'the database ended a connection while a statement ran\nalive\n',
    });
  });

  it('lets any other rejection end the process', () => {
    expect(endOf('42P01')).toEqual({ status: 1, stdout: '' });
  });
});
