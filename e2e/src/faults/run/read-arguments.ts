import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokerKind } from '../kills/open-fault-stage.js';

/** What `npm run faults -- ...` asks for. */
export interface FaultArguments {
  /** Events of the stream that kills fall into. Default 100 000. */
  readonly events: number;
  /** Default 60. */
  readonly kills: number;
  /** Events that wait for a paused adaptor. Default 100 000, 0 = not measured. */
  readonly queued: number;
  /** Rounds in which the delay of others is measured. Default 5, 0 = not measured. */
  readonly rounds: number;
  /** Default: of the clock. */
  readonly seed: number;
  readonly broker: BrokerKind;
  /** Default: `fault-results.json` in the system's folder for temporary files. */
  readonly jsonFile: string;
}

const counts = ['events', 'kills', 'queued', 'rounds', 'seed'] as const;
const isCount = (name: string): name is (typeof counts)[number] => (counts as readonly string[]).includes(name);

/** @throws Error that names what it does not know */
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
