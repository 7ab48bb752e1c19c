import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { moveShift } from './move-shift.js';

it('changes a list as if an element were removed and inserted again', () => {
  const lengths = fc.integer({ min: 1, max: 12 });
  const moves = lengths.chain((length) => {
    const place = fc.integer({ min: 0, max: length - 1 });
    return fc.tuple(fc.constant(length), place, place);
  });
  fc.assert(
    fc.property(moves, ([length, from, to]) => {
      const list = Array.from({ length }, (_, index) => index);
      const { gte = 0, lt = length, by = 0 } = moveShift(from, to) ?? {};
      const places = list.map((place) => (place === from ? to : place >= gte && place < lt ? place + by : place));
      const moved = list.filter((place) => place !== from);
      moved.splice(to, 0, from);
      expect(places).toEqual(list.map((place) => moved.indexOf(place)));
    }),
  );
});
