import { compare, interleaved } from '../interleaved.js';
import { percentile } from '../percentile.js';
import type { Row } from '../row.js';
import { openAssemblySources } from '../stage/open-assembly-sources.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 7;
const requestsPerRound = 100;
const delaysMs = [20, 20, 20, null] as const;

const rounded = (value: number): string => value.toPrecision(3);

export const assemblyWithStalled: Row = {
  id: 5,
  what: 'Assembly with one adaptor stalled, policy GOLD',
  comparedWith: 'the same without it',
  figures: [{ name: '', unit: 'ratio', better: 'lower', goal: 1.02, stretch: 1.02 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const sources = await openAssemblySources(stage, {
        domain: 'stalled',
        customers: requestsPerRound,
        delaysMs,
        connections: 1,
      });
      const [gold = '', second = '', third = '', stalled = ''] = sources.adaptorUuids;
      const choice = { releasePolicy: 'GOLD', goldAdaptors: [gold, second, third] };
      const answered = { [gold]: 'ANSWERED', [second]: 'ANSWERED', [third]: 'ANSWERED' };
      const measure = async (bronzeAdaptors: readonly string[], outcomes: Readonly<Record<string, string>>) => {
        const waits: number[] = [];
        for (let n = 0; n < requestsPerRound; n += 1)
          waits.push(await sources.assemble(n, { ...choice, bronzeAdaptors }, outcomes));
        return percentile(waits, 50);
      };
      const measured = await interleaved({
        rounds,
        subject: () => measure([stalled], { ...answered, [stalled]: 'LATE' }),
        floor: () => measure([], answered),
      });
      const { ratio, subject, floor } = compare(measured);
      return {
        values: { '': ratio },
        notes: [
          `p50 ${rounded(subject.median)} ms against ${rounded(floor.median)}; ${rounds} rounds of ${requestsPerRound} requests, one ` +
            'at a time; three gold adaptors at 20 ms, the stalled one is bronze, is asked each time and never answers',
        ],
      };
    }),
};
