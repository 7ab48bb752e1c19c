import { describe, expect, it } from '@jest/globals';
import { maskedText } from './masked-text.js';

describe('text for the log', () => {
  it.each([
    ['dataSource.password=hunter2 refused', 'dataSource.password=*** refused'],
    ['dataSource.password: hunter2', 'dataSource.password: ***'],
    ['/databases/crm/dataSource.password: is missing', '/databases/crm/dataSource.password: is missing'],
    ['/databases/crm/dataSource.password=hunter2', '/databases/crm/dataSource.password=***'],
    ['{"clientSecret":"a b","n":1}', '{"clientSecret":***,"n":1}'],
    ['sent Authorization: Bearer abc.def-ghi', 'sent Authorization: *** ***'],
    ['Bearer abc.def', 'Bearer ***'],
    ['postgres://user:pass@host/db is away', 'postgres://***@host/db is away'],
    ['the table customer has no column name', 'the table customer has no column name'],
    ['mail to a@b.c at http://host/path', 'mail to a@b.c at http://host/path'],
  ])('%s', (text, masked) => {
    expect(maskedText(text)).toBe(masked);
  });

  it('is masked in linear time', () => {
    const started = process.cpuUsage();
    maskedText('a.'.repeat(1_000));
    maskedText('x://'.repeat(500));
    maskedText(`bearer ${'a'.repeat(2_000)}`);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_000);
  });
});
