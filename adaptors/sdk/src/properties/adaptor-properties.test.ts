import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { metadataMayName, readAdaptorProperties, unknownAdaptorProperties } from './adaptor-properties.js';
import { PropertyFault, propertySourcesOf } from './load-properties.js';

const file = {
  'adaptor.uuid': '0199d0a0-0000-7000-8000-000000000001',
  'client.id': 'from-the-file',
  'client.secret': 'hush',
  'message.bus.url': 'tcp://localhost:1883',
  'auth.server.url': 'http://localhost:8080',
};

const faultsOf = (read: () => unknown): readonly string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof PropertyFault) return error.faults;
    throw error;
  }
  return [];
};

describe('readAdaptorProperties', () => {
  it('fills in the defaults of the specification', () => {
    expect(readAdaptorProperties({ environment: {}, file })).toMatchObject({
      hostname: 'localhost',
      port: 8001,
      journalMaxEvents: 1_000_000,
      concurrency: 1,
      opsConcurrency: { min: 1, max: 1 },
      assemblyConcurrency: { min: 1, max: 1 },
      sessionCacheSize: 10,
      enableMetrics: true,
      metricsLogIntervalMs: 3_600_000,
      logLevel: 'INFO',
      rootLogLevel: 'INFO',
    });
  });

  it('prefers the environment to the file', () => {
    const environment = { CLIENT_ID: 'from-the-environment', OPS_CONCURRENCY: '2-5', ASSEMBLY_CONCURRENCY: '3' };
    expect(readAdaptorProperties({ environment, file })).toMatchObject({
      clientId: 'from-the-environment',
      opsConcurrency: { min: 2, max: 5 },
      assemblyConcurrency: { min: 1, max: 3 },
    });
  });

  it('replaces variables in the file, and names a variable that is not set', () => {
    const written = { ...file, 'client.secret': '${BUS_SECRET}', hostname: '$${kept}' };
    const properties = readAdaptorProperties({ environment: { BUS_SECRET: 'a ${b}' }, file: written });
    expect(properties).toMatchObject({ clientSecret: 'a ${b}', hostname: '${kept}' });
    expect(faultsOf(() => readAdaptorProperties({ environment: {}, file: written }))).toEqual([
      'client.secret (CLIENT_SECRET): the environment variable BUS_SECRET is not set',
    ]);
  });

  it('names every fault at once, but no value', () => {
    const environment = { PORT: '70000', MESSAGE_BUS_URL: 'hush-hush' };
    const faults = faultsOf(() => readAdaptorProperties({ environment, file: { 'client.secret': 'hush' } }));
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'adaptor.uuid',
      'client.id',
      'message.bus.url',
      'port',
    ]);
    expect(faults.join()).not.toContain('hush');
  });
});

describe('the authorization server', () => {
  it.each([
    ['tcp://bus.example.org:1883', 'http://bus.example.org:8080'],
    ['tls://[::1]:8883', 'http://[::1]:8080'],
    ['wss://bus.example.org/mqtt', 'http://bus.example.org:8080'],
  ])('defaults to the host of the message bus: for %s it is %s', (bus, authServerUrl) => {
    const { 'auth.server.url': _, ...others } = file;
    const sources = { environment: {}, file: { ...others, 'message.bus.url': bus } };
    expect(readAdaptorProperties(sources)).toMatchObject({ authServerUrl });
  });
});

describe('the variables that the metadata may name', () => {
  const allowed = (written: Record<string, string>, environment: Record<string, string> = {}) => {
    const sources = { environment, file: { ...file, ...written } };
    const mayName = metadataMayName(readAdaptorProperties(sources), sources);
    return ['CLIENT_SECRET', 'BUS_SECRET', 'DB_PASSWORD', 'HOME'].filter(mayName);
  };

  it('are all variables that do not hold the client secret', () => {
    expect(allowed({})).toEqual(['BUS_SECRET', 'DB_PASSWORD', 'HOME']);
    expect(allowed({ 'client.secret': 'a${BUS_SECRET}' }, { BUS_SECRET: 'x' })).toEqual(['DB_PASSWORD', 'HOME']);
  });

  it('are the variables of metadata.variables, without the client secret', () => {
    expect(allowed({ 'metadata.variables': 'DB_PASSWORD, CLIENT_SECRET' })).toEqual(['DB_PASSWORD']);
    expect(faultsOf(() => allowed({ 'metadata.variables': 'DB-PASSWORD' }))).toEqual([
      'metadata.variables (METADATA_VARIABLES) must be names of environment variables, separated by commas',
    ]);
  });
});

describe('unknownAdaptorProperties', () => {
  it('returns names that neither the SDK nor this adaptor knows', () => {
    const sources = { environment: { PORTS: '1' }, file: { ...file, 'messagebus.url': 'x', 'file.monitor': 'y' } };
    expect(unknownAdaptorProperties(sources, ['file.monitor'])).toEqual(['messagebus.url']);
  });
});

describe('propertySourcesOf', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-properties-'));
  const started = (...args: string[]) => ({ argv: ['node', 'main', ...args], env: {}, cwd: () => folder });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('reads adaptor.properties in the working directory if the file exists', () => {
    expect(propertySourcesOf(started()).file).toEqual({});
    writeFileSync(join(folder, 'adaptor.properties'), '# a comment\nclient.id = me\nclient.secret=a\\=b:c\n');
    expect(propertySourcesOf(started()).file).toEqual({ 'client.id': 'me', 'client.secret': 'a=b:c' });
  });

  it.each([['--config', 'other.properties'], ['--config=other.properties']])(
    'reads the file named by %s %s',
    (...args) => {
      const other = join(folder, 'other.properties');
      writeFileSync(other, 'port=9000');
      expect(propertySourcesOf(started(...args.map((it) => it.replace('other.properties', other)))).file).toEqual({
        port: '9000',
      });
    },
  );

  it.each([
    ['a file that is not there', '/nowhere/adaptor.properties'],
    ['a folder', folder],
    ['nothing', ''],
  ])('refuses --config with %s', (_, path) => {
    expect(faultsOf(() => propertySourcesOf(started('--config', path)))).toHaveLength(1);
  });
});
