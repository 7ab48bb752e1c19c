import { describe, expect, it } from '@jest/globals';
import { addressKind, loadSettings, settings, SettingsError } from './load-settings.js';
import { renderSettingsPage } from './render-settings-page.js';

const declared = {
  name: settings.text('FDS_NAME', 'Name.', 'fds'),
  note: settings.optionalText('FDS_NOTE', 'Note.'),
  password: settings.secret('FDS_PASSWORD', 'Password | of the bus.'),
  port: settings.integer('FDS_PORT', 'Port.', 8080, { min: 0, max: 65_535 }),
  enabled: settings.boolean('FDS_ENABLED', 'Enabled.', true),
  parts: settings.list('FDS_PARTS', 'Parts.', ['gateway', 'bus'], ['gateway']),
  server: settings.url('FDS_SERVER', 'Server.'),
  broker: settings.url('FDS_BROKER', 'Broker.', addressKind(['tcp:', 'tls:'], 'an address such as tcp://host:1883')),
  origins: settings.urls('FDS_ORIGINS', 'Origins.'),
  networks: settings.texts('FDS_NETWORKS', 'Networks.', {
    allows: (text) => text.startsWith('10.'),
    message: 'must start with 10.',
  }),
  level: settings.choice('FDS_LEVEL', 'Level.', ['low', 'high'], 'low'),
  pin: settings.secret('FDS_PIN', 'Pin.', { allows: (text) => text.length >= 4, message: 'must have 4 characters' }),
};

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadSettings(declared, environment);
    return [];
  } catch (error) {
    return error instanceof SettingsError ? error.faults : ['not a SettingsError'];
  }
};

describe('loadSettings', () => {
  it('gives the defaults when nothing is set, blank counting as unset', () => {
    const values = {
      name: 'fds',
      note: undefined,
      password: undefined,
      port: 8080,
      enabled: true,
      parts: ['gateway'],
      server: undefined,
      broker: undefined,
      origins: [],
      networks: [],
      level: 'low',
      pin: undefined,
    };
    expect(loadSettings(declared, {})).toEqual(values);
    expect(loadSettings(declared, { FDS_NAME: ' ', FDS_PORT: '', FDS_SERVER: '  ' })).toEqual(values);
  });

  it('parses what is set', () => {
    const { password, pin, ...values } = loadSettings(declared, {
      FDS_NAME: 'hub',
      FDS_NOTE: 'n',
      FDS_PASSWORD: 'p w',
      FDS_PORT: '0',
      FDS_ENABLED: 'false',
      FDS_PARTS: ' bus , gateway ',
      FDS_SERVER: ' https://example.org/x ',
      FDS_BROKER: 'tls://broker:8883',
      FDS_ORIGINS: 'https://a.example.org, http://localhost:3000',
      FDS_NETWORKS: '10.0.0.0/8,10.1.0.1',
      FDS_LEVEL: 'high',
      FDS_PIN: '1234',
    });
    expect(password?.reveal()).toBe('p w');
    expect(pin?.reveal()).toBe('1234');
    expect(values).toEqual({
      name: 'hub',
      note: 'n',
      port: 0,
      enabled: false,
      parts: ['bus', 'gateway'],
      server: 'https://example.org/x',
      broker: 'tls://broker:8883',
      origins: ['https://a.example.org', 'http://localhost:3000'],
      networks: ['10.0.0.0/8', '10.1.0.1'],
      level: 'high',
    });
  });

  it.each([
    ['FDS_PORT', '65536'],
    ['FDS_PORT', '80a'],
    ['FDS_PORT', '1e3'],
    ['FDS_PORT', '99999999999999999999'],
    ['FDS_ENABLED', 'yes'],
    ['FDS_PARTS', 'gateway,nothing'],
    ['FDS_SERVER', 'not a url'],
    ['FDS_LEVEL', 'loud'],
    ['FDS_PIN', '123'],
  ])('refuses %s=%s, naming the variable', (variable, value) => {
    const faults = faultsOf({ [variable]: value });
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every((fault) => fault.startsWith(`${variable}: `))).toBe(true);
  });

  it.each([
    ['FDS_PORT', '70000', 'must be from 0 to 65535'],
    ['FDS_ENABLED', 'yes', 'must be true or false'],
    ['FDS_PARTS', 'nothing', 'may contain gateway, bus only'],
    ['FDS_LEVEL', 'loud', 'must be one of low, high'],
    ['FDS_PIN', '123', 'must have 4 characters'],
    ['FDS_SERVER', 'not a url', 'must be an address such as https://fds.example.org'],
    ['FDS_SERVER', 'ftp://files.example.org', 'must be an address such as https://fds.example.org'],
    ['FDS_SERVER', 'https:/', 'must be an address such as https://fds.example.org'],
    ['FDS_SERVER', 'localhost:8080', 'must be an address such as https://fds.example.org'],
    ['FDS_BROKER', 'http://broker:1883', 'must be an address such as tcp://host:1883'],
    ['FDS_BROKER', 'broker', 'must be an address such as tcp://host:1883'],
    [
      'FDS_ORIGINS',
      'https://a.example.org,b',
      'must be an address such as https://fds.example.org, separated by commas',
    ],
    ['FDS_ORIGINS', 'ws://a.example.org', 'must be an address such as https://fds.example.org, separated by commas'],
    ['FDS_NETWORKS', '10.0.0.1,zz', 'must start with 10.'],
  ])('says which values %s allows when it is %s', (variable, value, message) => {
    expect(faultsOf({ [variable]: value })).toEqual([`${variable}: ${message}`]);
  });

  it('lists all faults at once, and never a value', () => {
    const faults = faultsOf({
      FDS_PORT: 'hunter2',
      FDS_ENABLED: 'hunter2',
      FDS_PARTS: 'hunter2',
      FDS_SERVER: 'hunter2',
    });
    expect(new Set(faults.map((fault) => fault.split(':')[0]))).toEqual(
      new Set(['FDS_PORT', 'FDS_ENABLED', 'FDS_PARTS', 'FDS_SERVER']),
    );
    expect(faults.join()).not.toContain('hunter2');
  });
});

describe('renderSettingsPage', () => {
  it('is a table by variable, with defaults, and escapes what would break it', () => {
    expect(renderSettingsPage({ port: declared.port, password: declared.password, parts: declared.parts })).toBe(
      [
        '| Variable | Default | Meaning |',
        '| --- | --- | --- |',
        '| `FDS_PARTS` | `gateway` | Parts. |',
        '| `FDS_PASSWORD` | none | Password \\| of the bus. |',
        '| `FDS_PORT` | `8080` | Port. |',
        '',
      ].join('\n'),
    );
  });
});
