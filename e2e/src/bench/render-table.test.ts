import { describe, expect, it } from '@jest/globals';
import { renderTable } from './render-table.js';
import type { FigureGoal, Measurement, Row } from './row.js';

const ratio: FigureGoal = { name: '', unit: 'ratio', better: 'higher', goal: 0.5, stretch: 0.8 };

const rowOf = (figures: readonly FigureGoal[]): Row => ({
  id: 1,
  what: 'Routing',
  comparedWith: 'plain SQL',
  figures,
  run: () => Promise.reject(new Error('never run here')),
});

const measured = (figures: readonly FigureGoal[], values: Measurement['values'], notes: readonly string[] = []) =>
  renderTable([{ kind: 'MEASURED', row: rowOf(figures), measurement: { values, notes } }]);

const lastCells = (table: string, line: number): string[] => (table.split('\n')[line + 2] ?? '').split(/ {2,}/);

describe('the table', () => {
  it('has the columns of the page of goals, aligned', () => {
    expect(measured([ratio], { '': { median: 0.6123, min: 0.5, max: 0.7 } })).toBe(
      [
        '#  What     Compared with  Goal  Then  Measured (min-max)  Verdict',
        '-  -------  -------------  ----  ----  ------------------  ------------',
        '1  Routing  plain SQL      0.5   0.8   0.612 (0.5-0.7)     goal reached',
      ].join('\n'),
    );
  });

  it.each([
    [0.49, 'MISSED'],
    [0.5, 'goal reached'],
    [0.79, 'goal reached'],
    [0.8, 'reached, and then'],
  ])('judges a median of %d as %s if more is better', (median, verdict) => {
    expect(lastCells(measured([ratio], { '': { median, min: 0, max: 1 } }), 0).at(-1)).toBe(verdict);
  });

  it.each([
    [51, 'MISSED'],
    [50, 'goal reached'],
    [10, 'reached, and then'],
  ])('judges %d ms as %s if less is better', (median, verdict) => {
    const stall: FigureGoal = { name: 'stall', unit: 'ms', better: 'lower', goal: 50, stretch: 10 };
    const cells = lastCells(measured([stall], { stall: { median, min: 1, max: 1234.5 } }), 0);
    expect(cells).toEqual(['1', 'Routing: stall', 'plain SQL', '50 ms', '10 ms', `${median} ms (1-1235)`, verdict]);
  });

  it('shows a row without goals on one line, for information, with its notes', () => {
    const table = measured([], {}, ['3 us']);
    expect(lastCells(table, 0)).toEqual(['1', 'Routing', 'plain SQL', 'for information']);
    expect(table).toContain('#1  3 us');
  });

  it('shows each figure of a row on its own line, and names the figure that was not measured', () => {
    const memory: FigureGoal = { name: 'memory', unit: 'ratio', better: 'lower', goal: 2, stretch: 1.3 };
    const start: FigureGoal = { ...memory, name: 'cold start', goal: 4, stretch: 2 };
    const table = measured([memory, start], { memory: { median: 1.5, min: 1.4, max: 1.6 } });
    expect(lastCells(table, 0)).toEqual([
      '1',
      'Routing: memory',
      'plain SQL',
      '2x',
      '1.3x',
      '1.5 (1.4-1.6)',
      'goal reached',
    ]);
    expect(lastCells(table, 1).at(-1)).toBe('not measured');
  });

  it.each([
    ['NOT_BUILT', 'not built yet'],
    ['NOT_MEASURED', 'not measured yet'],
  ] as const)('lists a row that is %s without figures', (state, verdict) => {
    const row = { id: 13, state, what: 'Bulk import', comparedWith: 'COPY', goal: '0.4', stretch: '0.6' };
    const table = renderTable([{ kind: 'PLANNED', row }]);
    expect(lastCells(table, 0)).toEqual(['13', 'Bulk import', 'COPY', '0.4', '0.6', verdict]);
  });

  it('shows the reason of a failed row', () => {
    const table = renderTable([{ kind: 'FAILED', row: rowOf([ratio]), failure: 'a body was wrong' }]);
    expect(lastCells(table, 0).at(-1)).toBe('FAILED');
    expect(table).toMatch(/\n#1 {2}failed: a body was wrong$/);
  });

  it('puts the notes below', () => {
    const table = measured([ratio], { '': { median: 1, min: 1, max: 1 } }, ['5 rounds']);
    expect(table).toMatch(/\n\n#1 {2}5 rounds$/);
  });
});
