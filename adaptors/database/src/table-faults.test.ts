import { expect, it } from '@jest/globals';
import type { SourceFault } from '@fds/adaptor-sdk';
import { SourceChanged } from './state/source-guard.js';
import { createFaultBoard } from './table-faults.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

const openBoard = (tables: number) => {
  const shown = new Map<string, SourceFault>();
  const board = createFaultBoard(
    {
      log: silent,
      reportSource: (fault) => void shown.set(fault.source, fault),
      clearSource: (source) => void shown.delete(source),
    },
    tables,
  );
  return { board, shown };
};

it('the state is ERROR while no table works, and both reasons are cleared when they are over', () => {
  const { board, shown } = openBoard(2);
  const [a, b] = [board.table('a:1', 'ta', true), board.table('b:1', 'tb', true)];
  expect(a.failed('MODIFICATIONS', new Error('connection refused'))).toBe(1);
  expect(a.failed('MODIFICATIONS', new Error('connection refused'))).toBe(2);
  expect([...shown.values()]).toEqual([{ source: 'a:1', reason: 'a:1, table ta: connection refused' }]);
  expect([a.health, b.health]).toEqual(['DOWN', 'UP']);
  b.failed('LOG', new Error('away'));
  expect([...shown.values()].map(({ state }) => state)).toEqual(['ERROR', 'ERROR']);
  a.works('MODIFICATIONS');
  expect([...shown.values()]).toEqual([{ source: 'b:1', reason: 'b:1, table tb: away' }]);
  b.works('LOG');
  expect(shown.size).toBe(0);
});

it('the state stays while only the search for deletions fails, or a table is read in a lesser mode', () => {
  const { board, shown } = openBoard(1);
  const table = board.table('a:1', 'ta', true);
  table.failed('DELETIONS', new Error('time-out'));
  table.readsLess('the log cannot be read');
  expect([...shown.values()]).toEqual([
    { source: 'a:1', reason: 'a:1, table ta: time-out' },
    { source: 'a:1 log', reason: 'a:1, table ta: the log cannot be read' },
  ]);
  table.withdraw();
  expect(shown.size).toBe(0);
  expect(table.health).toBe('UP');
});

it('the state is ERROR while the source of one table is another one than before', () => {
  const { board, shown } = openBoard(2);
  board.table('b:1', 'tb', true);
  board.table('a:1', 'ta', true).failed('DELETIONS', new SourceChanged('another one'));
  expect(shown.get('a:1')?.state).toBe('ERROR');
});

it('the state is ERROR while a table that is only written cannot be written', () => {
  const { board, shown } = openBoard(2);
  const [a, b] = [board.table('a:1', 'ta', false), board.table('b:1', 'tb', true)];
  a.failed('INCOMING', new Error('permission denied'));
  b.failed('INCOMING', new Error('permission denied'));
  // rows of the second table are still reported
  expect([...shown.values()].map(({ state }) => state)).toEqual([undefined, undefined]);
  b.failed('MODIFICATIONS', new Error('permission denied'));
  expect([...shown.values()].map(({ state }) => state)).toEqual(['ERROR', 'ERROR']);
  b.works('MODIFICATIONS');
  a.works('INCOMING');
  expect([...shown.keys()]).toEqual(['b:1']);
});
