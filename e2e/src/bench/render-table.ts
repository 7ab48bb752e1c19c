import { judge } from './judge.js';
import type { FigureGoal, RowResult } from './row.js';
import type { Spread } from '../measure/spread.js';

const headings = ['#', 'What', 'Compared with', 'Goal', 'Then', 'Measured (min-max)', 'Verdict'] as const;
type Line = readonly string[];

/** Three significant digits, without an exponent. */
const formatNumber = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

const formatLimit = (limit: number, { unit, better }: FigureGoal): string => {
  if (unit === 'ms') return `${formatNumber(limit)} ms`;
  return better === 'lower' || limit > 1 ? `${formatNumber(limit)}x` : formatNumber(limit);
};

const formatSpread = ({ median, min, max }: Spread, { unit }: FigureGoal): string =>
  `${formatNumber(median)}${unit === 'ms' ? ' ms' : ''} (${formatNumber(min)}-${formatNumber(max)})`;

const verdicts = { MISSED: 'MISSED', GOAL: 'goal reached', STRETCH: 'reached, and then' } as const;

const states = { NOT_BUILT: 'not built yet', NOT_MEASURED: 'not measured yet' } as const;

const toLines = (result: RowResult): Line[] => {
  const { id, what, comparedWith } = result.row;
  if (result.kind === 'PLANNED')
    return [[String(id), what, comparedWith, result.row.goal, result.row.stretch, '', states[result.row.state]]];
  if (result.row.figures.length === 0)
    return [[String(id), what, comparedWith, '', '', '', result.kind === 'FAILED' ? 'FAILED' : 'for information']];
  return result.row.figures.map((figure) => {
    const named = figure.name === '' ? what : `${what}: ${figure.name}`;
    const head = [
      String(id),
      named,
      comparedWith,
      formatLimit(figure.goal, figure),
      formatLimit(figure.stretch, figure),
    ];
    if (result.kind === 'FAILED') return [...head, '', 'FAILED'];
    const spread = result.measurement.values[figure.name];
    return spread === undefined
      ? [...head, '', 'not measured']
      : [...head, formatSpread(spread, figure), verdicts[judge(figure, spread)]];
  });
};

const toNotes = (result: RowResult): string[] => {
  if (result.kind === 'FAILED') return [`#${result.row.id}  failed: ${result.failure}`];
  return result.kind === 'MEASURED' ? result.measurement.notes.map((note) => `#${result.row.id}  ${note}`) : [];
};

/** The table as text for a terminal, one line per figure, and the notes of the rows below it. */
export const renderTable = (results: readonly RowResult[]): string => {
  const lines: Line[] = [headings, ...results.flatMap(toLines)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const notes = results.flatMap(toNotes);
  return [text[0], rule, ...text.slice(1), ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
};
