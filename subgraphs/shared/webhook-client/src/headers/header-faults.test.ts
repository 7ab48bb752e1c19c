import { describe, expect, it } from '@jest/globals';
import { headerFaults } from './header-faults.js';

const of = (list: unknown, hasToken = false) =>
  headerFaults(list, '/httpHeaders', hasToken).map(({ pointer, detail }) => `${pointer} ${detail}`);

describe('the headers of a registration', () => {
  it('may be absent, empty or anything that is the user’s own', () => {
    expect([of(undefined), of(null), of([])]).toEqual([[], [], []]);
    expect(
      of([
        { name: 'Authorization', value: 'Basic x' },
        { name: 'X-Key', value: 'a\tb é' },
      ]),
    ).toEqual([]);
  });

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'TE', 'Upgrade', 'Proxy-Authorization'])(
    '%s belongs to the service',
    (name) => {
      expect(of([{ name, value: 'x' }])).toEqual([`/httpHeaders/0/name "${name}" is set by the service`]);
    },
  );

  it.each(['webhook-id', 'Webhook-Signature', 'webhook-anything'])('%s belongs to the service', (name) => {
    expect(of([{ name, value: 'x' }])).toEqual([`/httpHeaders/0/name "${name}" is set by the service`]);
  });

  it('cannot carry line ends and other characters, and values are not repeated', () => {
    const faults = of([
      { name: 'a b', value: 'x' },
      { name: 'a', value: 'x\r\nhost: evil' },
      { name: 'b\n', value: '\u0100' },
    ]);
    expect(faults).toEqual([
      '/httpHeaders/0/name "a b" is not the name of a header',
      '/httpHeaders/1/value contains a character that a header cannot carry',
      '/httpHeaders/2/name "b\n" is not the name of a header',
      '/httpHeaders/2/value contains a character that a header cannot carry',
    ]);
    expect(faults.join()).not.toContain('evil');
  });

  it('have the form of a list of name and value, each name once', () => {
    expect(of({ a: 'b' })).toEqual(['/httpHeaders must be a list of {name, value}']);
    expect(of(['a', { name: 1, value: 2 }])).toEqual([
      '/httpHeaders/0 must be {name, value}',
      '/httpHeaders/1/name must be the name of a header',
      '/httpHeaders/1/value must be a text',
    ]);
    expect(
      of([
        { name: 'a', value: '1' },
        { name: 'A', value: '2' },
      ]),
    ).toEqual(['/httpHeaders/1/name "a" is in the list twice']);
  });

  it('are bounded in number and size', () => {
    const many = Array.from({ length: 51 }, (_, index) => ({ name: `h${index}`, value: 'x' }));
    expect(of(many)).toEqual(['/httpHeaders has 51 headers; 50 are possible']);
    expect(of([{ name: 'a', value: 'x'.repeat(8192) }])).toEqual(['/httpHeaders has more than 8192 characters']);
  });

  it('leave authorization to the token where there is one', () => {
    expect(of([{ name: 'Authorization', value: 'x' }], true)).toEqual([
      '/httpHeaders/0/name "authorization" carries the token of oauth2Registration',
    ]);
  });
});
