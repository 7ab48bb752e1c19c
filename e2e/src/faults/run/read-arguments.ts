import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokerKind } from '../kills/open-fault-stage.js';

/** Arguments of `npm run faults -- ...`. */
export interface FaultArguments {
  /** Number of events of the stream in which processes are killed. Default 100 000. */
  readonly events: number;
  /** Default 60. */
  readonly kills: number;
  /** Number of events that wait for a paused adaptor. Default 100 000; 0: not measured. */
  readonly queued: number;
  /** Number of rounds that measure the delay of other adaptors. Default 5; 0: not measured. */
  readonly rounds: number;
  /** Default: derived from the clock. */
  readonly seed: number;
  readonly broker: BrokerKind;
  /** Default: `fault-results.json` in the system's folder for temporary files. */
  readonly jsonFile: string;
}

const counts = ['events', 'kills', 'queued', 'rounds', 'seed'] as const;
const isCount = (name: string): name is (typeof counts)[number] => (counts as readonly string[]).includes(name);

/** @throws Error that names the unknown argument */
export const readArguments = (words: readonly string[], nowMs: number): FaultArguments => {
  const numbers = { events: 100_000, kills: 60, queued: 100_000, rounds: 5, seed: nowMs % 1_000_000 };
  let broker: BrokerKind = 'EMBEDDED';
  let jsonFile = join(tmpdir(), 'fault-results.json');
  for (let index = 0; index < words.length; index += 2) {
    const name = (words[index] ?? '').replace(/^--/, '');
    const value = words[index + 1];
    if (value === undefined) throw new Error(`${words[index]} needs a value`);
    if (isCount(name)) {
      if (!/^\d+$/.test(value)) throw new Error(`--${name} needs a whole number, not ${value}`);
      numbers[name] = Number(value);
    } else if (name === 'broker') {
      if (value !== 'embedded' && value !== 'mosquitto') throw new Error('--broker is embedded or mosquitto');
      broker = value === 'embedded' ? 'EMBEDDED' : 'MOSQUITTO';
    } else if (name === 'json') jsonFile = value;
    else throw new Error(`unknown argument ${words[index]}: --${[...counts, 'broker', 'json'].join(', --')}`);
  }
  return { ...numbers, broker, jsonFile };
};
