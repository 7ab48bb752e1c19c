// Measures the figures of the product against their goals. See read-arguments.ts for its arguments.
import { writeFileSync } from 'node:fs';
import { currentLoad, describeMachine } from '../measure/describe-machine.js';
import { figures } from './figures.js';
import { judge } from './judge.js';
import { readArguments } from './read-arguments.js';
import { renderTable } from './render-table.js';
import type { RowResult } from './row.js';
import { rows } from './rows.js';
import { runFigures } from './run-figures.js';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());

const runRow = async (row: (typeof rows)[number]): Promise<RowResult> => {
  if (!('run' in row)) return { kind: 'PLANNED', row };
  console.error(`#${row.id} ${row.what} ...`);
  try {
    return { kind: 'MEASURED', row, measurement: await row.run(interruption.signal) };
  } catch (error) {
    return { kind: 'FAILED', row, failure: error instanceof Error ? error.message : String(error) };
  }
};

/** A result in the form of the JSON file. */
const toJson = (result: RowResult): object => {
  if (result.kind !== 'MEASURED') return { ...result, ...result.row, row: undefined };
  const { id, what, comparedWith, figures } = result.row;
  const { values, notes } = result.measurement;
  const measured = figures.map((figure) => {
    const spread = values[figure.name];
    return { ...figure, ...spread, verdict: spread === undefined ? undefined : judge(figure, spread) };
  });
  return { kind: result.kind, id, what, comparedWith, figures: measured, notes };
};

const { rows: wanted, figures: figuresWanted, jsonFile } = readArguments(process.argv.slice(2));
const unknown = wanted.filter((id) => !rows.some((row) => row.id === id));
if (unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}`);

const machine = describeMachine();
const loadAtStart = currentLoad();
const startedAt = new Date();
const results: RowResult[] = [];
for (const row of rows) {
  if (interruption.signal.aborted) break;
  if (figuresWanted ? wanted.includes(row.id) : wanted.length === 0 || wanted.includes(row.id))
    results.push(await runRow(row));
}
const measuredFigures = await runFigures(figuresWanted ? figures : [], interruption.signal, (line) =>
  console.log(line),
);
const loadAtEnd = currentLoad();
const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);

if (results.length > 0) console.log(renderTable(results));
console.log(
  `\nNode ${machine.node} on ${machine.platform}, ${machine.cpuCount} cores (${machine.cpuModel}), ` +
    `load average ${loadAtStart} at start and ${loadAtEnd} at end, ${seconds} s`,
);
const report = {
  startedAt: startedAt.toISOString(),
  seconds,
  machine,
  loadAtStart,
  loadAtEnd,
  rows: results.map(toJson),
  figures: measuredFigures,
};
writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
console.log(`written as JSON to ${jsonFile}`);
if (results.some(({ kind }) => kind === 'FAILED') || measuredFigures.some(({ failure }) => failure !== undefined))
  process.exitCode = 1;
