import { describe, expect, it } from '@jest/globals';
import { carriesPassword } from './carries-password.js';

describe('an address with a password', () => {
  it.each([
    'jdbc:postgresql://db:5432/crm?user=fds&password=p',
    'jdbc:postgresql://db/crm?sslpassword=p',
    'jdbc:postgresql:crm?password=p',
    'jdbc:postgresql://db/crm?user=fds&p%61ss%77ord=p',
    'jdbc:mysql://fds:p@db/crm',
    'jdbc:sqlserver://db:1433;databaseName=crm;user=fds;Password=p;encrypt=true',
    'jdbc:oracle:thin:fds/p@//db:1521/crm',
    'mongodb://fds:p@mongo:27017,other:27017/fds',
    'postgresql://fds:${PASSWORD}@db/state',
    'https://user:p@example.org/hook',
  ])('is recognised: %s', (text) => {
    expect(carriesPassword(text)).toBe(true);
  });

  it.each([
    'jdbc:postgresql://db:5432/crm?user=&password=&currentSchema=x',
    'jdbc:sqlite:/data/a@b/crm.sqlite',
    'jdbc:oracle:thin:@//db:1521/crm',
    'jdbc:oracle:thin:@db:1521:crm',
    'jdbc:sqlserver://db:1433;databaseName=crm;user=fds',
    'mongodb://fds@mongo:27017/fds',
    'https://example.org:8080/hook?mail=a@b.org&to=c:d@e',
    'file:///inbox/password=x',
    'the password=x of a text without a scheme, at user:p@host',
    '***',
    '',
  ])('is not found in: %s', (text) => {
    expect(carriesPassword(text)).toBe(false);
  });

  it('is not found in numbers, lists and objects', () => {
    expect([5, null, ['jdbc:mysql://u:p@db/x'], { a: 1 }].map((value) => carriesPassword(value))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('is searched for in linear time', () => {
    const long = 300_000;
    for (const text of [
      `a:?${'pwd'.repeat(long)}`,
      `a://${':'.repeat(long)}`,
      `a:${'?'.repeat(long)}`,
      `a:?${'%70'.repeat(long)}=x`,
    ]) {
      const before = process.cpuUsage();
      expect(carriesPassword(text)).toBe(false);
      // processor time, in microseconds: it does not grow with the load of the machine
      expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
    }
  });
});
