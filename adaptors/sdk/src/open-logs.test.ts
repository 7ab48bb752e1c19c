import { expect, it } from '@jest/globals';
import { openLogs } from './open-logs.js';

it('has a level for the adaptor and a level for its connections', () => {
  const lines: string[] = [];
  const { own, root } = openLogs(
    { adaptorUuid: '0199d0a0-0000-7000-8000-000000000001', logLevel: 'DEBUG', rootLogLevel: 'ERROR' },
    { write: (line) => void lines.push(line) },
  );
  own.debug({}, 'own debug');
  root.warn({}, 'root warn');
  root.error({}, 'root error');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['own debug', 'root error']);
});
