import { describe, expect, it } from '@jest/globals';
import { AdaptorSlots } from './adaptor-slots.js';

const named = (uuid: string) => ({ uuid, name: `name of ${uuid}`, zone: 'north' });
const labels = (uuid: string) => ({ adaptor: `name of ${uuid}`, zone: 'north' });
const other = { adaptor: 'other', zone: 'other' };

describe('the places of adaptors in figures', () => {
  it('are limited: all further adaptors share one', () => {
    const slots = new AdaptorSlots(2);
    expect(slots.renew(['a', 'b', 'c', 'd'].map(named))).toEqual([]);
    expect(['a', 'b', 'c', 'd'].map((uuid) => slots.labelsOf(slots.keyOf(uuid)))).toEqual([
      labels('a'),
      labels('b'),
      other,
      other,
    ]);
  });

  it('are kept until their adaptor is gone', () => {
    const slots = new AdaptorSlots(1);
    slots.renew([named('b')]);
    slots.renew([named('a'), named('b')]);
    expect(slots.keyOf('b')).toBe('b');
    expect(slots.renew([named('a')])).toEqual(['b']);
    expect(slots.labelsOf(slots.keyOf('a'))).toEqual(labels('a'));
  });

  it('are taken by an adaptor that is newer than the list, which has its name with the next one', () => {
    const slots = new AdaptorSlots(1);
    expect(slots.keyOf('a')).toBe('a');
    expect(slots.labelsOf('a')).toBeUndefined();
    expect(slots.renew([])).toEqual([]);
    slots.renew([named('a')]);
    expect(slots.labelsOf('a')).toEqual(labels('a'));
  });

  it('are free again when an adaptor without a name never comes', () => {
    const slots = new AdaptorSlots(1);
    slots.keyOf('a');
    slots.renew([]);
    expect(slots.renew([])).toEqual(['a']);
  });

  it('name no adaptor by default', () => {
    const slots = new AdaptorSlots(0);
    slots.renew([named('a')]);
    expect(slots.labelsOf(slots.keyOf('a'))).toEqual({});
  });
});
