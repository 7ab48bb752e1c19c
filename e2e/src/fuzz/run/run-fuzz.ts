// The long form of the fuzz campaign. See read-arguments.ts for its arguments.
import { currentLoad, describeMachine } from '../../measure/describe-machine.js';
import { openMachineWatch } from '../../measure/open-machine-watch.js';
import { processorTimeOf } from '../../measure/processor-time.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { openFuzzStage } from '../open-fuzz-stage.js';
import { measurePiece, type Piece } from '../pieces/measure-piece.js';
import { hostilePieces, maxPieceMs, measurePieces } from '../pieces/measure-pieces.js';
import { faultsOfService } from './faults-of-service.js';
import { fuzzOne, type SentCase } from './fuzz-one.js';
import { fuzzTargets } from './fuzz-targets.js';
import { readArguments } from './read-arguments.js';

const loops = 4;
/** Name of the table of large inputs among the targets. */
const table = 'pieces';
/** Compilation and collection of garbage make single measurements longer. */
const attempts = 3;

/** At most so many cases ran at the same time as the longest piece. */
const suspects = 8;

const { cases, minutes = Infinity, seed, only } = readArguments(process.argv.slice(2), Date.now());
const leftovers = createLeftovers();
const faults: string[] = [];
let total = 0;
try {
  const stage = await openFuzzStage(leftovers, loops);
  const machine = await openMachineWatch(stage.doors.service.dataDir);
  leftovers.add(machine.close);
  /** The cases that ran at the same time as a piece of work, each with its longest piece when it is sent alone. */
  const causesOf = async ({ from, to }: Piece, long: readonly SentCase[]): Promise<readonly string[]> => {
    const texts: string[] = [];
    for (const { one } of long.filter((each) => each.from <= to && each.to >= from).slice(0, suspects)) {
      const sent = await measurePiece(stage.doors.service, () => one.ask().catch(() => undefined));
      texts.push(`${sent.ms} ms alone: ${one.label}`);
    }
    return texts;
  };
  const known = await fuzzTargets(stage);
  const names = [...known.map(({ name }) => name), table];
  const unknown = (only ?? []).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`no target ${unknown.join(', ')}: ${names.join(', ')}`);
  const targets = known.filter(({ name }) => only?.includes(name) ?? true);
  console.log(`seed ${seed}; ${JSON.stringify(describeMachine())}; load ${JSON.stringify(currentLoad())}`);
  const startedAt = performance.now();
  for (const [index, target] of targets.entries()) {
    if (!stage.doors.service.process().running) break;
    const begins = performance.now();
    const each = Math.ceil(cases / targets.length);
    const processorMs = () => processorTimeOf(stage.doors.service.process().pid);
    const endsAt = startedAt + (minutes * 60_000 * (index + 1)) / targets.length;
    const plan = {
      cases: each,
      seed,
      loops,
      maxFaults: 10,
      processorMs,
      stalledMs: machine.stalledMs,
      endsAt,
    };
    const { result, ...piece } = await measurePiece(stage.doors.service, () => fuzzOne(target, plan));
    total += result.cases;
    faults.push(...result.faults);
    const seconds = Math.round((performance.now() - begins) / 1_000);
    console.log(
      `${target.name}: ${result.cases} cases in ${seconds} s, slowest ${result.slowestMs} ms, longest piece ${piece.ms} ms of processor time, ${result.faults.length} faults`,
    );
    for (const fault of result.faults) console.log(`  ${fault}`);
    if (piece.ms > maxPieceMs)
      for (const cause of await causesOf(piece, result.long)) console.log(`  longest piece: ${cause}`);
  }
  if (only?.includes(table) ?? true) {
    for await (const { door, input, ms } of measurePieces(stage, hostilePieces, attempts)) {
      console.log(`${door}, ${input}: longest piece ${ms} ms of processor time`);
      if (ms > maxPieceMs) faults.push(`${door}, ${input}: a piece of ${ms} ms`);
    }
  }
  const own = await faultsOfService(stage);
  for (const fault of own) console.log(fault);
  faults.push(...own);
} finally {
  await leftovers.dispose();
}
console.log(`${total} cases, ${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;
