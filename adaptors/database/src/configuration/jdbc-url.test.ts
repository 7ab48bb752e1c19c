import { describe, expect, it } from '@jest/globals';
import { parseJdbcUrl } from './jdbc-url.js';

describe('parseJdbcUrl', () => {
  it.each([
    [
      'jdbc:postgresql://db.example:5433/shop',
      { dialect: 'postgresql', host: 'db.example', port: 5433, database: 'shop', tls: 'off' },
    ],
    [
      'jdbc:postgresql://db/shop?user=u&password=p&currentSchema=s&sslmode=require',
      {
        dialect: 'postgresql',
        host: 'db',
        port: 5432,
        database: 'shop',
        tls: 'on',
        user: 'u',
        password: 'p',
        schema: 's',
      },
    ],
    [
      'jdbc:postgresql://[::1]:5432/a%20b?sslmode=verify-full',
      { dialect: 'postgresql', host: '::1', port: 5432, database: 'a b', tls: 'verify' },
    ],
    ['jdbc:sqlite:/data/shop.db', { dialect: 'sqlite', file: '/data/shop.db' }],
  ])('reads %s', (url, address) => {
    expect(parseJdbcUrl(url)).toEqual(address);
  });

  it.each([
    ['postgresql://db/shop', 'is not a JDBC URL'],
    ['jdbc:postgresql:shop', 'is not a PostgreSQL JDBC URL of one host'],
    ['jdbc:sqlite:', 'names no file'],
    ['jdbc:oracle:thin:@//db/x', '"oracle" is not supported: postgresql, sqlite'],
  ])('refuses %s', (url, fault) => {
    expect(parseJdbcUrl(url)).toEqual({ fault });
  });
});
