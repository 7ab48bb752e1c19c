import { keptPlanRows, statementRows, totalRows, type PlanRow } from './plan-page.js';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).concat('');

const cellsOf = ({ choice, condition, reason }: PlanRow<string>): readonly string[] => [
  `\`${choice}\``,
  condition,
  reason,
];

/** The reference page of reading plans, Markdown. */
export const renderReadingPlan = (): string =>
  [
    '# How a page of records is read',
    '',
    'Every listing of records has a plan: the statement that reads the page, where the total comes from, and for which executions the database keeps',
    'the plan of the statement. `planPage` decides it. All statements use the same filter, the same rules of data access and the same order.',
    'Exactly one row of each table applies to a listing.',
    '',
    '<!-- generated from subgraphs/records/src/reading/listing/domain/plan-page.ts: `npm run generate:pages` -->',
    '',
    '## The statement',
    '',
    'A statement can find that it is not the right one. The statement of the last column then reads the page.',
    '',
    ...table(
      ['Statement', 'When', 'Why', 'Otherwise'],
      statementRows.map((row) => [
        ...cellsOf(row),
        row.otherwise === undefined ? '-' : `\`${row.otherwise.statement}\`: ${row.otherwise.when}`,
      ]),
    ),
    '## The total',
    '',
    ...table(['Source', 'When', 'Why'], totalRows.map(cellsOf)),
    '## The plan that the database keeps',
    '',
    ...table(['Kept for', 'When', 'Why'], keptPlanRows.map(cellsOf)),
  ].join('\n');
