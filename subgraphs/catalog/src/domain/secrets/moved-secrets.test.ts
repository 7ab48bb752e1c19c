import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { addressOrigin } from './address-origin.js';
import { movedSecrets } from './moved-secrets.js';
import { secretsNamed } from './secret-names.js';
import { noSecrets, splitSecrets, withSecrets } from './split-secrets.js';

const isSecret = secretsNamed([]);

/** Places of masks whose secrets would be sent to another receiver. */
const moved = (before: JsonObject, given: JsonObject): readonly string[] => {
  const { secrets: old } = splitSecrets(before, isSecret, noSecrets);
  const { metadata, secrets, kept } = splitSecrets(given, isSecret, old);
  return movedSecrets({ metadata: before, secrets: old }, { metadata: withSecrets(metadata, secrets), secrets }, kept);
};

const jdbc = (jdbcUrl: string, password: string): JsonObject => ({
  type: 'JDBC',
  properties: { jdbcUrl, 'dataSource.user': 'fds', 'dataSource.password': password },
});
const hook = (url: string, value: string, oauth2Registration?: JsonObject): JsonObject => ({
  url,
  httpHeaders: [{ name: 'X-Api-Key', value }],
  secret: value,
  ...(oauth2Registration === undefined ? {} : { oauth2Registration }),
});
const client = (clientSecret: string, where: JsonObject): JsonObject => ({ clientId: 'c', clientSecret, ...where });

describe('secrets that are kept', () => {
  const crm = 'jdbc:postgresql://db.example/crm';
  it.each<[change: string, before: JsonObject, given: JsonObject, expected: readonly string[]]>([
    ['another path', hook('https://a.example/1', 'v'), hook('https://a.example:443/2', '***'), []],
    [
      'another host',
      hook('https://a.example/1', 'v'),
      hook('https://b.example/1', '***'),
      ['/httpHeaders/0/value', '/secret'],
    ],
    [
      'another scheme',
      hook('https://a.example', 'v'),
      hook('http://a.example', '***'),
      ['/httpHeaders/0/value', '/secret'],
    ],
    [
      'another port',
      hook('https://a.example', 'v'),
      hook('https://a.example:444', '***'),
      ['/httpHeaders/0/value', '/secret'],
    ],
    ['another host, sent again', hook('https://a.example', 'v'), hook('https://b.example', 'w'), []],
    [
      'another authorization server',
      hook('https://a.example', 'v', client('s', { tokenUri: 'https://i.example/token' })),
      hook('https://a.example', '***', client('***', { tokenUri: 'https://j.example/token' })),
      ['/oauth2Registration/clientSecret'],
    ],
    [
      'an authorization server in addition to the issuer',
      hook('https://a.example', 'v', client('s', { issuerUri: 'https://i.example' })),
      hook(
        'https://a.example',
        '***',
        client('***', { issuerUri: 'https://i.example', tokenUri: 'https://j.example/t' }),
      ),
      ['/oauth2Registration/clientSecret'],
    ],
    [
      'the token address of the same authorization server',
      hook('https://a.example', 'v', client('s', { issuerUri: 'https://i.example' })),
      hook('https://a.example', '***', client('***', { tokenUri: 'https://i.example/token' })),
      [],
    ],
    [
      'another receiver of the messages, and the same authorization server',
      hook('https://a.example', 'v', client('s', { tokenUri: 'https://i.example/token' })),
      hook('https://b.example', 'w', client('***', { tokenUri: 'https://i.example/token' })),
      [],
    ],
    [
      'another database on the server',
      { databases: { a: jdbc(crm, 'p') } },
      { databases: { a: jdbc('jdbc:postgresql://db.example:5432/erp?ssl', '***') } },
      [],
    ],
    [
      'another server of a database',
      { databases: { a: jdbc(crm, 'p'), b: jdbc(crm, 'q') } },
      { databases: { a: jdbc('jdbc:postgresql://db.evil/crm', '***'), b: jdbc(crm, '***') } },
      ['/databases/a/properties/dataSource.password'],
    ],
    [
      'an added database',
      { databases: { a: jdbc(crm, 'p') } },
      { databases: { a: jdbc(crm, '***'), b: jdbc('jdbc:mysql://other/x', 'q') } },
      [],
    ],
    [
      'an address next to the credentials',
      { connection: { url: crm }, login: { password: 'p' } },
      { connection: { url: 'jdbc:postgresql://evil/crm' }, login: { password: '***' } },
      ['/login/password'],
    ],
    [
      'an address that comes nearer than the one before',
      { url: crm, login: { password: 'p' } },
      { url: 'jdbc:postgresql://evil/x', login: { url: crm, password: '***' } },
      ['/login/password'],
    ],
    ['a host and a port', { host: 'a', port: 5432, token: 't' }, { host: 'a', port: 5433, token: '***' }, ['/token']],
    ['a port that goes', { host: 'a', port: 5433, token: 't' }, { host: 'a', token: '***' }, ['/token']],
    ['a list of hosts', { hosts: ['a', 'b'], token: 't' }, { hosts: ['a', 'c'], token: '***' }, ['/token']],
    ['a sealed address, kept', { url: 'jdbc:mysql://u:p@db/x', password: 'p' }, { url: '***', password: '***' }, []],
    [
      'a sealed address next to another',
      { url: 'jdbc:mysql://u:p@db/x', other: 'https://a' },
      { url: '***', other: 'https://b' },
      [],
    ],
    [
      'a sealed address that names another host',
      { url: 'jdbc:mysql://u:p@db/x', password: 'p' },
      { url: 'jdbc:mysql://u:p@evil/x', password: '***' },
      ['/password'],
    ],
    [
      'texts that are not addresses',
      { description: 'a: b', password: 'p' },
      { description: 'c: d', password: '***' },
      [],
    ],
    ['no longer a receiver', { url: 'https://a.example', password: 'p' }, { password: '***' }, []],
    ['a receiver where none was', { password: 'p' }, { url: 'https://evil.example', password: '***' }, ['/password']],
  ])('%s', (_change, before, given, expected) => {
    expect(moved(before, given)).toEqual(expected);
  });

  it('are checked in time that grows with the size of the metadata', () => {
    const many = (host: string, mask: string): JsonObject =>
      Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`k${at}`, { url: `http://${host}/`, token: mask }]));
    const [before, given] = [many('a', 't'), many('b', '***')];
    const start = process.cpuUsage();
    expect(moved(before, given)).toHaveLength(3000);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });
});

describe('the origin of an address', () => {
  it.each([
    ['HTTPS://User:Pw@Example.org:443/a?b#c', 'https://example.org'],
    ['https://good.example\\@evil.example/', 'https://good.example'],
    ['jdbc:postgresql://DB/crm?user=u&password=p', 'jdbc:postgresql://db:5432'],
    ['jdbc:postgresql:crm', 'jdbc:postgresql'],
    ['jdbc:mysql://a:1,b/crm', 'jdbc:mysql://a:1,b:3306'],
    ['jdbc:sqlserver://db;databaseName=crm;encrypt=true', 'jdbc:sqlserver://db:1433'],
    ['jdbc:sqlserver://;serverName=db;databaseName=crm', 'jdbc:sqlserver://:1433;servername=db'],
    ['jdbc:oracle:thin:u/p@db:1521:CRM', 'jdbc:oracle://db:1521:crm'],
    ['jdbc:oracle:thin:@//db/CRM', 'jdbc:oracle://db:1521'],
    ['jdbc:oracle:thin:@tcps://db:2484/CRM', 'jdbc:oracle:tcps://db:2484'],
    ['jdbc:oracle:thin:@(DESCRIPTION=(HOST=db)/x)', 'jdbc:oracle://(description=(host=db)/x):1521'],
    ['mongodb://u:p@a,b:27018/fds', 'mongodb://a:27017,b:27018'],
    ['mongodb+srv://u:p@a/fds', 'mongodb+srv://a'],
    ['s3://bucket/folder', 's3://bucket'],
    ['file:///inbox', 'file://'],
    ['jdbc:sqlite:/data/crm.db', 'jdbc:sqlite'],
    ['a text: with a colon', undefined],
  ])('%s is %s', (address, origin) => {
    expect(addressOrigin('url', address)).toBe(origin);
  });

  it('takes receivers of a connection text, and keys that name one', () => {
    expect(addressOrigin('connectionString', 'AccountEndpoint=https://A.example/;AccountKey=k')).toBe(
      'accountendpoint=https://a.example/',
    );
    expect(['host', 'db.host', 'serverName', 'proxyPort'].map((key) => addressOrigin(key, 'X'))).toEqual([
      'x',
      'x',
      'x',
      'x',
    ]);
    expect(['transport', 'ghost', 'report', 'import'].map((key) => addressOrigin(key, 'X'))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
