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
    [
      'jdbc:mariadb://db/sh%2Fop?user=u&password=p%26&sslMode=verify-full',
      {
        dialect: 'mysql',
        host: 'db',
        port: 3306,
        database: 'sh/op',
        tls: 'verify',
        user: 'u',
        password: 'p&',
      },
    ],
    [
      'jdbc:mysql://[::1]:3307/shop?useSSL=true',
      { dialect: 'mysql', host: '::1', port: 3307, database: 'shop', tls: 'on' },
    ],
    [
      'jdbc:sqlserver://db:1434;databaseName=shop;user=sa;password={a;b}}};trustServerCertificate=true',
      { dialect: 'mssql', host: 'db', port: 1434, database: 'shop', tls: 'on', user: 'sa', password: 'a;b}' },
    ],
    [
      'jdbc:sqlserver://db;databaseName=shop;encrypt=false',
      { dialect: 'mssql', host: 'db', port: 1433, database: 'shop', tls: 'off' },
    ],
    [
      'jdbc:oracle:thin:@//db:1522/XEPDB1',
      { dialect: 'oracle', host: 'db', port: 1522, database: 'XEPDB1', tls: 'off' },
    ],
    [
      'jdbc:oracle:thin:u/p@tcps://db/XE',
      { dialect: 'oracle', host: 'db', port: 1521, database: 'XE', tls: 'verify', user: 'u', password: 'p' },
    ],
    ['jdbc:oracle:thin:@db:1521:XE', { dialect: 'oracle', host: 'db', port: 1521, database: ':XE', tls: 'off' }],
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
    ['jdbc:mysql://db', 'is not a MySQL JDBC URL of one host with a database'],
    ['jdbc:mariadb://a,b/shop', 'is not a MariaDB JDBC URL of one host with a database'],
    ['jdbc:sqlserver://db:1433;encrypt=true', 'is not a SQL Server JDBC URL with databaseName'],
    ['jdbc:oracle:oci:@db', 'is not an Oracle JDBC URL of the thin driver'],
    ['jdbc:db2://db/x', '"db2" is not supported: postgresql, mysql, mariadb, sqlserver, oracle, sqlite'],
  ])('refuses %s', (url, fault) => {
    expect(parseJdbcUrl(url)).toEqual({ fault });
  });
});
