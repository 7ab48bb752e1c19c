import { compileChains, type AclEntry, type Message } from '@fds/governance-rules';
import { spreadOf } from '../../measure/spread.js';
import type { Row } from '../row.js';

const count = 10_000;
const rounds = 5;
const decisionsPerRound = 100_000;
const warmUps = 20_000;

const uuidOf = (kind: number, index: number): string =>
  `00000000-0000-7000-8${String(kind).padStart(3, '0')}-${String(index).padStart(12, '0')}`;
const [zone, adaptor, version, record] = [1, 2, 3, 4].map(
  (kind) => (index: number) => uuidOf(kind, index),
) as unknown as [
  (index: number) => string,
  (index: number) => string,
  (index: number) => string,
  (index: number) => string,
];

const properties = Array.from({ length: 20 }, (_, index) => `property${index}`);

/**
 * Both chains of one pair of zones, with every combination of selectors. Half of the entries have properties, and some
 * have records.
 */
const entryOf = (index: number): AclEntry => {
  const named = (bit: number, uuid: string): string | null => (((index >> bit) & 1) === 0 ? null : uuid);
  const spread = Math.floor(index / 64);
  const chain = index % 2 === 0 ? 'OUTBOUND' : 'INBOUND';
  const isOutbound = chain === 'OUTBOUND';
  const other = named(1, isOutbound ? zone(1) : zone(0));
  return {
    uuid: uuidOf(5, index),
    zoneUuid: isOutbound ? zone(0) : zone(1),
    chain,
    position: index,
    sourceZoneUuid: isOutbound ? zone(0) : other,
    destinationZoneUuid: isOutbound ? other : zone(1),
    sourceAdaptorUuid: named(2, adaptor(spread % 50)),
    destinationAdaptorUuid: named(3, adaptor(50 + (spread % 50))),
    domainVersionUuid: named(4, version(spread % 20)),
    drUuids: ((index >> 5) & 1) === 0 ? [] : [record(spread)],
    properties: index % 3 === 0 ? [] : [properties[index % 20] ?? '', properties[(index * 7) % 20] ?? ''],
    get: null,
    // only the last entries decide on the whole message, so every property is searched for in every entry
    post: index % 3 === 0 && index < count - 200 ? null : 'ALLOW',
    put: null,
    delete: null,
    active: true,
  };
};

const messageOf = (index: number): Message => ({
  action: 'POST',
  sourceZoneUuid: zone(0),
  sourceAdaptorUuid: adaptor(index % 50),
  destinationZoneUuid: zone(1),
  destinationAdaptorUuid: adaptor(50 + (index % 50)),
  domainVersionUuid: version(index % 20),
  drUuid: record(index % 150),
  properties,
});

/** Row 10: evaluates both chains, and decides on 20 properties one by one. */
export const governanceDecision: Row = {
  id: 10,
  what: 'One governance decision with 10 000 entries, p99',
  comparedWith: '-',
  figures: [{ name: '', unit: 'ms', better: 'lower', goal: 0.01, stretch: 0.005 }],
  run: (signal) => {
    const entries = Array.from({ length: count }, (_, index) => entryOf(index));
    const begun = performance.now();
    const rules = compileChains(entries);
    const compileMs = performance.now() - begun;
    const messages = Array.from({ length: 3_000 }, (_, index) => messageOf(index));
    const ask = (index: number): number =>
      rules.decide(messages[index % messages.length] ?? messageOf(index)).applied.length;
    let applied = 0;
    for (let index = 0; index < warmUps; index += 1) applied += ask(index);
    const p99s: number[] = [];
    const p50s: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      signal.throwIfAborted();
      const times = new Float64Array(decisionsPerRound);
      for (let index = 0; index < decisionsPerRound; index += 1) {
        const from = performance.now();
        applied += ask(index);
        times[index] = performance.now() - from;
      }
      times.sort();
      p50s.push(times[Math.floor(decisionsPerRound * 0.5)] ?? Number.NaN);
      p99s.push(times[Math.floor(decisionsPerRound * 0.99)] ?? Number.NaN);
    }
    if (applied === 0) throw new Error('no entry decided anything');
    const perDecision = (applied / (warmUps + rounds * decisionsPerRound)).toFixed(1);
    return Promise.resolve({
      values: { '': spreadOf(p99s) },
      notes: [
        `p50 ${(spreadOf(p50s).median * 1000).toFixed(1)} us; ${rounds} rounds of ${decisionsPerRound} decisions`,
        `both chains, 20 properties, 32 sets of selectors in use, ${perDecision} entries decide each; compiled in ${compileMs.toFixed(0)} ms`,
      ],
    });
  },
};
