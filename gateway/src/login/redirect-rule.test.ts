import { describe, expect, it } from '@jest/globals';
import { createRedirectRule } from './redirect-rule.js';

const rule = createRedirectRule('https://fds.example:8443/data', [
  'https://app.example/signed-in',
  'http://localhost:3000/console/',
]);

describe('the address that a sign-in may redirect to', () => {
  it.each([
    ['/docs', 'https://fds.example:8443/docs'],
    ['docs?a=b', 'https://fds.example:8443/data/docs?a=b'],
    ['https:evil.example', 'https://fds.example:8443/data/evil.example'],
    ['https://fds.example:8443/', 'https://fds.example:8443/'],
    ['https://app.example/signed-in', 'https://app.example/signed-in'],
    ['https://app.example/signed-in?tab=2', 'https://app.example/signed-in?tab=2'],
    ['http://localhost:3000/console/a/b', 'http://localhost:3000/console/a/b'],
  ])('%s is allowed', (address, expected) => {
    expect(rule(address).href).toBe(expected);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://fds.example:8443@evil.example/',
    'https://fds.example.evil.example/',
    'https://fds.example/',
    'http://fds.example:8443/',
    'https://user:password@fds.example:8443/',
    'https://app.example/signed-in/more',
    'https://app.example/',
    'http://localhost:3000/console',
    'http://localhost:3000/console/../x',
    'https://fds.example:8443/#fragment',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
  ])('%s is refused', (address) => {
    expect(() => rule(address)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
  });
});
