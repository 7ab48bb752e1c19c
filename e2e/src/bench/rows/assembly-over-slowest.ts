import { compare, type Round } from '../interleaved.js';
import { percentile } from '../percentile.js';
import type { Row } from '../row.js';
import { openAssemblySources } from '../stage/open-assembly-sources.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 5;
const requestsPerRound = 200;
const adaptorCount = 5;
const delayMs = 20;

const rounded = (value: number): string => value.toPrecision(3);

export const assemblyOverSlowest: Row = {
  id: 4,
  what: `Assembly of ${adaptorCount} adaptors at ${delayMs} ms`,
  comparedWith: 'slowest adaptor waited for',
  figures: [
    { name: 'p50', unit: 'ratio', better: 'lower', goal: 1.15, stretch: 1.05 },
    { name: 'p99', unit: 'ratio', better: 'lower', goal: 1.4, stretch: 1.2 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const sources = await openAssemblySources(stage, {
        domain: 'assembled',
        customers: requestsPerRound,
        delaysMs: Array.from({ length: adaptorCount }, () => delayMs),
        connections: 1,
      });
      const outcomes = Object.fromEntries(sources.adaptorUuids.map((uuid) => [uuid, 'ANSWERED']));
      const measure = async (): Promise<{ readonly waits: number[]; readonly slowest: number[] }> => {
        await sources.longestMs();
        const waits: number[] = [];
        for (let n = 0; n < requestsPerRound; n += 1) waits.push(await sources.assemble(n, {}, outcomes));
        const longestMs = await sources.longestMs();
        return { waits, slowest: waits.map((_, n) => longestMs(n)) };
      };
      await measure();
      const measured: Awaited<ReturnType<typeof measure>>[] = [];
      for (let round = 0; round < rounds; round += 1) measured.push(await measure());
      const at = (percent: number) =>
        compare(
          measured.map(({ waits, slowest }): Round<number> => ({
            subject: percentile(waits, percent),
            floor: percentile(slowest, percent),
          })),
        );
      const [p50, p99] = [at(50), at(99)];
      return {
        values: { p50: p50.ratio, p99: p99.ratio },
        notes: [
          `p50 ${rounded(p50.subject.median)} ms against ${rounded(p50.floor.median)}, p99 ${rounded(p99.subject.median)} ms ` +
            `against ${rounded(p99.floor.median)}; ${rounds} rounds of ${requestsPerRound} requests, one at a time, each of one ` +
            'record that all adaptors hold; the floor is the longest time that a handler of the SDK took; every record compared',
        ],
      };
    }),
};
