import { expect, test } from '@jest/globals';
import { loadServiceSettings } from './service-settings.js';

const web = 'must be an address such as https://fds.example.org';
const proxies = 'must be addresses or networks such as 10.0.0.0/8 or 192.0.2.7, separated by commas';
const broker =
  'must be an address of an MQTT broker such as tcp://broker.example.org:1883 or tls://broker.example.org:8883';

test.each([
  ['FDS_TRUSTED_PROXIES', 'zz', proxies],
  ['FDS_TRUSTED_PROXIES', '10.0.0.0/8, 10.0.0.0/99', proxies],
  ['FDS_BUS_URL', 'http://x', broker],
  ['FDS_BUS_URL', 'broker:1883', broker],
  ['FDS_BASE_URL', 'ftp://fds.example.org', web],
  ['FDS_BASE_URL', 'fds.example.org', web],
  ['FDS_CORS_ORIGINS', 'app.example.org', `${web}, separated by commas`],
  ['FDS_REDIRECT_URIS', 'javascript:alert(1)', `${web}, separated by commas`],
  ['OIDC_ISSUER_URL', 'ldap://directory', web],
])('%s=%s is refused with the setting and the values that it allows', (variable, value, message) => {
  const faults = [`${variable}: ${message}`];
  expect(() => loadServiceSettings({ [variable]: value })).toThrow(expect.objectContaining({ faults }));
});

test.each([
  ['FDS_TRUSTED_PROXIES', '10.0.0.0/8, fe80::/10, loopback'],
  ['FDS_BUS_URL', 'wss://broker.example.org/mqtt'],
  ['FDS_BASE_URL', 'http://localhost:8080'],
  ['FDS_CORS_ORIGINS', 'https://a.example.org,http://localhost:3000'],
])('%s=%s is accepted', (variable, value) => {
  expect(() => loadServiceSettings({ [variable]: value })).not.toThrow();
});
