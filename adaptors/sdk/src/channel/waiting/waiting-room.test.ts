import { describe, expect, it } from '@jest/globals';
import type { WaitingEntry } from '../../journal/waiting-table.js';
import type { Failure } from './resources.js';
import { createWaitingRoom, type WaitingRoom } from './waiting-room.js';

const entry = (
  sequence: number,
  group: string,
  waitsFor: string | null = null,
  domain = 'customer:1',
  names: readonly string[] = [group],
): WaitingEntry => ({
  sequence,
  group,
  names,
  domain,
  waitsFor,
  bytes: 10,
});
const away = (waitsFor: string | undefined, tookMs = 1): Failure => ({
  waitsFor,
  reason: 'away',
  isOwn: false,
  tookMs,
});

/** A room with a clock, and the resources that are over. */
const openRoom = (entries: readonly WaitingEntry[] = []) => {
  const over: string[] = [];
  const room = createWaitingRoom(entries, { onFault: () => undefined, onOver: (resource) => void over.push(resource) });
  return { room, over };
};
/** Takes the turns that are due, and says the same about each. */
const takeTurns = (room: WaitingRoom, nowMs: number): number[] => {
  const taken: number[] = [];
  for (let turn = room.next(nowMs); turn !== undefined; turn = room.next(nowMs)) {
    taken.push(turn.sequence);
    room.done(turn, 1, nowMs);
  }
  return taken;
};

describe('the waiting messages', () => {
  it('are tried with one of them per resource, after growing delays', () => {
    const { room } = openRoom();
    for (let n = 1; n <= 1_000; n += 1) room.addFailed(entry(n, `group-${n}`), away('folder'), 0);
    const attempts: number[] = [];
    for (let nowMs = 0; nowMs <= 120_000; nowMs += 100) {
      const turn = room.next(nowMs);
      if (turn === undefined) continue;
      expect(room.next(nowMs)).toBeUndefined();
      attempts.push(nowMs);
      room.failed(turn, away('folder'), nowMs);
    }
    expect(attempts).toEqual([200, 600, 1_400, 3_000, 6_200, 12_600, 25_400, 51_000, 81_000, 111_000]);
  });

  it('all follow at once when their resource works, in the order of their groups, and others do not', () => {
    const { room, over } = openRoom();
    for (let n = 1; n <= 5; n += 1) room.addFailed(entry(n, `group-${n % 2}`), away('folder'), 0);
    room.add(entry(6, 'group-1'));
    room.addFailed(entry(7, 'group-7'), away('table'), 100);
    const probe = room.next(200);
    expect(probe).toEqual({ group: 'group-1', sequence: 1 });
    if (probe !== undefined) room.done(probe, 1, 200);
    expect(over).toEqual(['folder']);
    expect(takeTurns(room, 201)).toEqual([3, 2, 5, 4, 6]);
    expect(room.sequences()).toEqual([7]);
    expect(takeTurns(room, 400)).toEqual([7]);
    expect([room.size, room.bytes, room.first()]).toEqual([0, 0, undefined]);
  });

  it('wait again without an attempt each when their resource fails again', () => {
    const { room } = openRoom();
    for (let n = 1; n <= 100; n += 1) room.addFailed(entry(n, `group-${n}`), away('folder'), 0);
    const probe = room.next(200);
    if (probe !== undefined) room.done(probe, 1, 200);
    const next = room.next(201);
    if (next !== undefined) room.failed(next, away('folder'), 201);
    expect([room.next(202), room.nextAtMs()]).toEqual([undefined, 401]);
  });

  it('are tried group by group, so that one that waits for another thing does not delay the others', () => {
    const { room } = openRoom();
    room.addFailed(entry(1, 'one'), away(undefined), 0);
    room.addFailed(entry(2, 'two'), away(undefined), 0);
    const first = room.next(200);
    expect(first?.sequence).toBe(1);
    if (first !== undefined) room.failed(first, away(undefined), 200);
    const second = room.next(600);
    expect(second?.sequence).toBe(2);
    if (second !== undefined) room.done(second, 1, 600);
    expect(room.next(601)?.sequence).toBe(1);
  });

  it('take at most a fifth of the time by slow probes', () => {
    const { room } = openRoom();
    for (let n = 1; n <= 50; n += 1) room.addFailed(entry(n, `group-${n}`), away(`table-${n}`, 1_000), 0);
    let spentMs = 0;
    for (let nowMs = 0; nowMs < 100_000;) {
      const turn = room.next(nowMs);
      if (turn === undefined) {
        nowMs = room.nextAtMs();
        continue;
      }
      nowMs += 1_000;
      spentMs += 1_000;
      room.failed(turn, away(`table-${turn.sequence}`, 1_000), nowMs);
    }
    expect(spentMs).toBeLessThanOrEqual(20_000);
    expect(spentMs).toBeGreaterThan(10_000);
  });

  it('delay untried messages of their domain version only where an attempt takes long', () => {
    const { room } = openRoom();
    room.addFailed(entry(1, 'one'), away('folder', 1), 0);
    expect(room.heldFor('customer:1')).toBeUndefined();
    room.addFailed(entry(2, 'two'), away('table', 1_000), 0);
    expect([room.heldFor('customer:1'), room.heldFor('order:1')]).toEqual(['table', undefined]);
    for (const n of [3, 4]) room.addFailed(entry(n, `group-${n}`, null, 'order:1'), away(undefined, 1_000), 0);
    room.worked('order:1');
    for (const n of [5, 6]) room.addFailed(entry(n, `group-${n}`, null, 'order:1'), away(undefined, 1_000), 0);
    expect(room.heldFor('order:1')).toBeUndefined();
    room.addFailed(entry(7, 'seven', null, 'order:1'), away(undefined, 1_000), 0);
    expect(room.heldFor('order:1')).toBe('order:1');
  });

  it('delay no untried message where the cause is their own', () => {
    const { room } = openRoom();
    room.addFailed(entry(1, 'one'), { ...away('later rows', 1_000), isOwn: true }, 0);
    expect(room.heldFor('customer:1')).toBeUndefined();
  });

  it('are numbered in order while they come, go and come back', () => {
    let state = 26;
    const below = (limit: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
    const { room } = openRoom();
    const present = new Set<number>();
    const ascending = () => [...present].sort((one, other) => one - other);
    for (let step = 0; step < 3_000; step += 1) {
      const sequence = 1 + below(200);
      if (!present.has(sequence)) {
        present.add(sequence);
        room.add(entry(sequence, `group-${sequence % 20}`, null, 'customer:1', [`group-${sequence % 20}`, 'all']));
      }
      for (let turns = below(3); turns > 0; turns -= 1) {
        const turn = room.next(0);
        if (turn === undefined) break;
        const [earliest] = ascending().filter((one) => `group-${one % 20}` === turn.group);
        expect(turn.sequence).toBe(earliest);
        room.done(turn, 0, 0);
        present.delete(turn.sequence);
      }
      expect([room.size, room.first(), room.isHeld(['all'])]).toEqual([present.size, ascending()[0], present.size > 0]);
      expect(room.sequences()).toEqual(ascending());
      expect(room.sequences(3)).toEqual(ascending().slice(-3));
    }
  });

  it('are found again after a restart, in the order of each group', () => {
    const entries = [entry(1, 'one', 'folder'), entry(2, 'two', 'folder'), entry(3, 'one'), entry(4, 'four')];
    const { room } = openRoom(entries);
    expect([room.size, room.first(), room.isHeld(['one']), room.has(3)]).toEqual([4, 1, true, true]);
    expect(takeTurns(room, 0)).toEqual([1, 4, 3, 2]);
  });

  it('stay in order while a key joins their groups', () => {
    const { room } = openRoom();
    room.addFailed(entry(1, 'one', null, 'customer:1', ['one', 'key']), away('folder'), 0);
    expect([room.isHeld(['two']), room.isHeld(['two', 'key']), room.groupOf(['two', 'key'])]).toEqual([
      false,
      true,
      'one',
    ]);
    room.add(entry(2, 'one', null, 'customer:1', ['two', 'key']));
    // a later message of the second group waits too, also with another key
    expect([room.isHeld(['two', 'other']), room.groupOf(['two', 'other'])]).toEqual([true, 'one']);
    room.add(entry(3, 'one', null, 'customer:1', ['two', 'other']));
    expect(takeTurns(room, 1_000_000)).toEqual([1, 2, 3]);
    expect([room.size, room.isHeld(['one', 'two', 'key', 'other'])]).toEqual([0, false]);
  });

  it('that were stopped are tried again', () => {
    const { room } = openRoom([entry(1, 'one', 'folder')]);
    const turn = room.next(0);
    if (turn !== undefined) room.stopped(turn);
    expect(takeTurns(room, 0)).toEqual([1]);
  });

  it('are tried at once when the configuration has changed', () => {
    const { room } = openRoom();
    room.addFailed(entry(1, 'one'), away('folder', 1_000), 0);
    expect(room.next(100)).toBeUndefined();
    room.retryAll(100);
    const turn = room.next(100);
    // the change comes while an attempt runs, which still fails
    room.retryAll(200);
    if (turn !== undefined) room.failed(turn, away('folder', 1_000), 1_100);
    expect(takeTurns(room, 1_100)).toEqual([1]);
  });
});
