import { describe, expect, it } from '@jest/globals';
import { everyTarget, targetFault } from './target-fault.js';

describe('the address of a target', () => {
  it.each([
    'https://example.org/hook',
    'http://example.org:8080/hook?a=b',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]/hook',
  ])('%s has no fault', (url) => {
    expect(targetFault(url)).toBeUndefined();
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://[::]/',
    'http://0/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://10.0.0.1/',
  ])('%s is not a public address', (url) => {
    expect(targetFault(url)).toMatch(
      /^names \S+, which is not a public address; FDS_WEBHOOK_ALLOW_PRIVATE=true permits/,
    );
  });

  it.each(['http://localhost/', 'http://LOCALHOST:8080/', 'http://localhost./', 'http://a.localhost/'])(
    '%s is a private target',
    (url) => {
      expect(targetFault(url)).toMatch(/which is a private target; FDS_WEBHOOK_ALLOW_PRIVATE=true permits/);
      expect(targetFault(url, everyTarget)).toBeUndefined();
    },
  );

  it.each([
    ['ftp://example.org/', /^has the scheme "ftp"/],
    ['file:///etc/passwd', /^has the scheme "file"/],
    ['javascript:alert(1)', /^has the scheme "javascript"/],
    ['/hook', /^is not an absolute URL$/],
    ['', /^is not an absolute URL$/],
    ['https://', /^is not an absolute URL$/],
    [`https://example.org/${'a'.repeat(2048)}`, /^is longer than 2048 characters$/],
  ])('%s is refused whatever the rule is', (url, detail) => {
    expect(targetFault(url)).toMatch(detail);
    expect(targetFault(url, everyTarget)).toMatch(detail);
  });

  it('refuses credentials and does not repeat them', () => {
    const fault = targetFault('https://ada:enigma@example.org/', everyTarget);
    expect(fault).toMatch(/^contains a user name or password/);
    expect(fault).not.toContain('enigma');
  });
});
