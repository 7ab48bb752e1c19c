// The long form of the fault suite. See read-arguments.ts for its arguments.
import { writeFileSync } from 'node:fs';
import { currentLoad, describeMachine } from '../../measure/describe-machine.js';
import { faultless } from '../kills/judge-run.js';
import { readArguments } from './read-arguments.js';
import { runQueue } from './run-queue.js';
import { runStream } from './run-stream.js';
import { measureOthers } from './measure-others.js';

const wanted = readArguments(process.argv.slice(2), Date.now());
const report: Record<string, unknown> = {
  startedAt: new Date().toISOString(),
  machine: describeMachine(),
  loadAtStart: currentLoad(),
  ...wanted,
};
const faults: string[] = [];
const note = (name: string, result: object): void => {
  report[name] = result;
  console.log(`${name}:`);
  for (const [key, value] of Object.entries(result)) console.log(`  ${key}: ${JSON.stringify(value)}`);
};

console.error(`seed ${wanted.seed}`);
if (wanted.kills > 0) {
  const stream = await runStream(wanted);
  note('stream', stream);
  for (const [name, most] of Object.entries(faultless))
    if (stream[name as keyof typeof faultless] > most) faults.push(`stream: ${name}`);
  if (stream.failure !== undefined) faults.push(`stream: ${stream.failure}`);
}
if (wanted.queued > 0) {
  const queue = await runQueue(wanted);
  note('queue', queue);
  if (queue.doubled + queue.inverted + queue.lost > 0) faults.push('queue');
}
if (wanted.rounds > 0) note('others', await measureOthers(wanted));

report['loadAtEnd'] = currentLoad();
writeFileSync(wanted.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
console.log(faults.length === 0 ? 'no fault' : `FAULTS: ${faults.join('; ')}`);
console.log(`written as JSON to ${wanted.jsonFile}`);
if (faults.length > 0) process.exitCode = 1;
