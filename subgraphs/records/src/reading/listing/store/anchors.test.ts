import { comparePlaces, type SortTerm } from '@fds/search';
import { describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import {
  addAnchors,
  anchorBefore,
  bytesOf,
  emptyAnchors,
  moveAnchors,
  type Anchor,
  type RecordMove,
} from './anchors.js';

const age: SortTerm = { property: { name: 'age', type: 'integer' }, descending: false };
const orders: readonly (readonly SortTerm[])[] = [[], [age], [{ ...age, descending: true }]];
const bounds = { maxAnchors: 1_000, maxBytes: 2 ** 20 };

type Place = RecordMove['place'];

const somePlace = (order: readonly SortTerm[]): Place => ({
  uuid: randomUUID(),
  values: order.map(() => (randomInt(5) === 0 ? null : String(randomInt(1_000)))),
});

describe('anchors', () => {
  it.each(orders.map((order) => ({ order })))(
    'have as many records before them as a list of all records has, with $order.0',
    ({ order }) => {
      const sorted = (places: readonly Place[]): Place[] =>
        places.toSorted((one, other) => comparePlaces(order, one, other));
      let places = sorted(Array.from({ length: 400 }, () => somePlace(order)));
      const added = places.flatMap((place, offset): Anchor[] => (offset % 20 === 0 ? [{ ...place, offset }] : []));
      let position = 0n;
      const log: RecordMove[] = [];
      const state = () => ({ total: BigInt(places.length), moves: 0n, scanned: log.length, changes: [...log] });
      let set = addAnchors(moveAnchors(emptyAnchors(0n), state(), { order, settled: 0n }), added, { order, bounds });
      for (let round = 0; round < 60; round += 1) {
        for (let n = randomInt(4); n > 0; n -= 1) {
          const isAdded = randomInt(2) === 0;
          const place = isAdded ? somePlace(order) : places[randomInt(places.length)];
          if (place === undefined) throw new Error('there are always records');
          places = isAdded ? sorted([...places, place]) : places.filter((other) => other !== place);
          position += 1n;
          log.push({ position, action: isAdded ? 'POST' : 'DELETE', place });
        }
        // entries below the floor are not read again
        const settled = randomInt(3) === 0 ? position : set.floor;
        set = moveAnchors(set, state(), { order, settled });
        while (log[0] !== undefined && log[0].position <= set.floor) log.shift();
        expect(set.anchors).toHaveLength(added.length);
        for (const anchor of set.anchors)
          expect(anchor.offset).toBe(places.filter((place) => comparePlaces(order, place, anchor) < 0).length);
      }
    },
  );

  const place = { uuid: randomUUID(), values: ['5'] };
  const anchor: Anchor = { offset: 10, uuid: randomUUID(), values: ['7'] };
  const set = { ...emptyAnchors(0n), total: 100n, moves: 3n, anchors: [anchor] };
  const same = { total: 100n, moves: 3n, scanned: 0, changes: [] };
  const entry = (action: RecordMove['action']): RecordMove => ({ position: 1n, action, place });

  it.each([
    ['a record came that no entry names', [age], { ...same, total: 101n }],
    ['an entry names a record that did not come', [age], { ...same, changes: [entry('POST')] }],
    ['a DR Key changed and the order depends on it', [age], { ...same, moves: 4n }],
    ['a record changed and the order depends on its data', [age], { ...same, changes: [entry('PATCH')] }],
  ])('are forgotten when %s', (_, order, state) => {
    expect(moveAnchors(set, state, { order, settled: 0n }).anchors).toEqual([]);
  });

  it.each([
    ['a DR Key changed and the order is that of uuids', [], { ...same, moves: 4n }, 10],
    ['a record came before them', [age], { ...same, total: 101n, changes: [entry('POST')] }, 11],
    ['a record went from before them', [age], { ...same, total: 99n, changes: [entry('DELETE')] }, 9],
  ])('are kept when %s', (_, order, state, offset) => {
    expect(moveAnchors(set, state, { order, settled: 0n }).anchors).toEqual([{ ...anchor, offset }]);
  });

  it('take each entry into account once', () => {
    const state = { ...same, total: 101n, changes: [entry('POST')] };
    const once = moveAnchors(set, state, { order: [age], settled: 0n });
    expect(moveAnchors(once, state, { order: [age], settled: 0n }).anchors).toEqual([{ ...anchor, offset: 11 }]);
  });

  const many = Array.from({ length: 5_000 }, (_, offset): Anchor => ({
    offset,
    uuid: randomUUID(),
    values: [String(offset).padStart(4, '0')],
  }));

  it('are thinned evenly to a number', () => {
    const { anchors } = addAnchors(emptyAnchors(0n), many, { order: [age], bounds });
    expect(anchors.length).toBeLessThanOrEqual(1_000);
    expect(anchors.length).toBeGreaterThan(500);
    for (const offset of [100, 2_500, 4_999]) {
      const nearest = anchorBefore({ ...emptyAnchors(0n), anchors }, offset);
      expect(offset - (nearest?.offset ?? 0)).toBeLessThan(16);
    }
  });

  it('are thinned to a number of bytes, to none where one has more', () => {
    const long = many.slice(0, 100).map((each) => ({ ...each, values: [...each.values, 'x'.repeat(50_000)] }));
    const order = [age, { ...age, property: { name: 'text', type: 'string' } as const }];
    const thinned = addAnchors(emptyAnchors(0n), long, { order, bounds });
    expect(bytesOf(thinned)).toBeLessThanOrEqual(bounds.maxBytes + 1_000);
    expect(thinned.anchors.length).toBeGreaterThan(3);
    expect(addAnchors(emptyAnchors(0n), long, { order, bounds: { ...bounds, maxBytes: 90_000 } }).anchors).toEqual([]);
  });
});
