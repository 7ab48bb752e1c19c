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
    [
      'jdbc:postgresql:shop?user=a%40b&password=p%26%3D%2B%20%3F%2F',
      {
        dialect: 'postgresql',
        host: 'localhost',
        port: 5432,
        database: 'shop',
        tls: 'off',
        user: 'a@b',
        password: 'p&=+ ?/',
      },
    ],
    [
      'jdbc:postgresql://db/sh%2Fop%20%C3%BC?ssl',
      { dialect: 'postgresql', host: 'db', port: 5432, database: 'sh/op ü', tls: 'verify' },
    ],
    ['jdbc:sqlite:file:/data/a b/ü#%.db', { dialect: 'sqlite', file: '/data/a b/ü#%.db' }],
    ['jdbc:sqlite:/data/shop.db', { dialect: 'sqlite', file: '/data/shop.db' }],
  ])('reads %s', (url, address) => {
    expect(parseJdbcUrl(url)).toEqual(address);
  });

  it.each([
    ['postgresql://db/shop', 'is not a JDBC URL'],
    ['jdbc:postgresql://a:1,b:2/shop', 'is not a PostgreSQL JDBC URL of one host'],
    ['jdbc:postgresql://user:hush@db/shop', 'is not a PostgreSQL JDBC URL of one host'],
    ['jdbc:postgresql://db/100%', 'is not a PostgreSQL JDBC URL of one host'],
    ['jdbc:postgresql://db:70000/shop', 'is not a PostgreSQL JDBC URL of one host'],
    ['jdbc:sqlite::memory:', 'names no file'],
    ['jdbc:sqlite:/data/shop.db?mode=ro', 'takes no parameters for SQLite'],
    ['jdbc:sqlite:', 'names no file'],
    ['jdbc:oracle:thin:@//db/x', '"oracle" is not supported: postgresql, sqlite'],
  ])('refuses %s', (url, fault) => {
    expect(parseJdbcUrl(url)).toEqual({ fault });
  });
});
