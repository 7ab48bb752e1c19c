// Loaded into the service that is fuzzed: prints the processor time of each long piece of work of the main thread.
import { openSync, readFileSync, readSync, existsSync } from 'node:fs';
import './watch-prototypes.js';

const printedMs = 10;
const everyMs = 2;
const figures = '/proc/self/schedstat';

/** Processor time of the main thread, in milliseconds. Other work of the machine does not count. */
const openThreadClock = (): (() => number) => {
  // elsewhere the time of the whole process, which is more: its collector has threads
  if (!existsSync(figures) || readFileSync(figures, 'latin1').startsWith('0 ')) {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
  }
  const file = openSync(figures, 'r');
  const buffer = Buffer.alloc(64);
  return () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ', 1)[0]) / 1e6;
};

const clock = openThreadClock();
let before = clock();
let beganMs = Date.now();

// between two runs of a timer, all callers wait
setInterval(() => {
  const now = clock();
  const tookMs = now - before;
  const endMs = Date.now();
  if (tookMs >= printedMs) process.stderr.write(`A PIECE OF ${Math.round(tookMs)} MS FROM ${beganMs} TO ${endMs}\n`);
  before = now;
  beganMs = endMs;
}, everyMs).unref();
