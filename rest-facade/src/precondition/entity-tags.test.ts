import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changeVersionOf, matchedWeakly, matchesStrongly, parseEntityTags, withCoding } from './entity-tags.js';

describe('parseEntityTags', () => {
  const strong = (value: string) => ({ value, weak: false });
  it.each([
    ['*', '*'],
    [' * ', '*'],
    ['"5"', [strong('5')]],
    ['W/"5"', [{ value: '5', weak: true }]],
    ['"5", W/"a,b" ,"c"', [strong('5'), { value: 'a,b', weak: true }, strong('c')]],
    ['""', [strong('')]],
    ['5', [strong('5')]],
  ])('reads %s', (header, tags) => {
    expect(parseEntityTags(header)).toEqual(tags);
  });

  it.each(['', '"5', 'five', '"5" "6"', 'w/"5"', '*, "5"', '"a"b"', '5, 6'])('refuses %s', (header) => {
    expect(parseEntityTags(header)).toBeUndefined();
  });

  it('reads back every list of tags', () => {
    const tag = fc.record({ value: fc.stringMatching(/^[!#-~]*$/), weak: fc.boolean() });
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
        const printed = tags.map(({ value, weak }) => `${weak ? 'W/' : ''}"${value}"`).join(', ');
        expect(parseEntityTags(printed)).toEqual(tags);
      }),
    );
  });

  it('reads or refuses any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseEntityTags(text)));
  });
});

describe('a tag', () => {
  it.each([
    ['5', 5n],
    ['5.abc', 5n],
    ['5;gzip', 5n],
    ['5;zstd', undefined],
    ['9223372036854775807', 9223372036854775807n],
    ['5a', undefined],
    ['.5', undefined],
    ['', undefined],
  ])('%s contains the changeVersion %s', (value, version) => {
    expect(changeVersionOf({ value, weak: false })).toBe(version);
  });

  it('may match weakly without matching strongly', () => {
    const tags = parseEntityTags('"4", W/"5"') ?? [];
    expect([matchedWeakly(tags, '"5"'), matchesStrongly(tags, '"5"')]).toEqual(['"5"', false]);
    expect([matchedWeakly(tags, '"4"'), matchesStrongly(tags, '"4"')]).toEqual(['"4"', true]);
    expect([matchedWeakly(tags, '"6"'), matchesStrongly('*', '"6"')]).toEqual([undefined, true]);
  });

  it.each(['br', 'gzip'] as const)('stands for the same version when its answer is compressed by %s', (coding) => {
    const tag = withCoding('"5.abc"', coding);
    const tags = parseEntityTags(tag);
    expect(tag).not.toBe('"5.abc"');
    expect(tags).toEqual([{ value: `5.abc;${coding}`, weak: false }]);
    expect([matchedWeakly(tags ?? [], '"5.abc"'), matchesStrongly(tags ?? [], '"5.abc"')]).toEqual([tag, true]);
    expect(tags === '*' ? [] : tags?.map(changeVersionOf)).toEqual([5n]);
  });
});
