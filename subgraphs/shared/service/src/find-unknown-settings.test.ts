import { describe, expect, it } from '@jest/globals';
import { findUnknownSettings } from './find-unknown-settings.js';
import { settings } from './load-settings.js';

const declared = {
  port: settings.integer('FDS_PORT', 'Port.', 8080, { min: 0, max: 65_535 }),
  busPort: settings.integer('FDS_BUS_PORT', 'Port of the bus.', 1883, { min: 0, max: 65_535 }),
  issuer: settings.url('OIDC_ISSUER_URL', 'Issuer.'),
};

describe('findUnknownSettings', () => {
  it('finds a misspelt setting and names the nearest one', () => {
    expect(findUnknownSettings(declared, { FDS_BUSPORT: '1', FDS_PORT: '2' }, 'FDS_')).toEqual([
      { variable: 'FDS_BUSPORT', nearest: 'FDS_BUS_PORT' },
    ]);
  });

  it('names no setting when none is similar, and ignores other prefixes', () => {
    expect(findUnknownSettings(declared, { FDS_REGION_OF_STORAGE: 'x', PATH: '/bin', OIDC_X: 'y' }, 'FDS_')).toEqual([
      { variable: 'FDS_REGION_OF_STORAGE', nearest: undefined },
    ]);
  });
});
