import type { Figure } from '../figure.js';
import { percentile } from '../percentile.js';
import { openAssemblySources } from '../stage/open-assembly-sources.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 30;
const customers = 100;
const slowestMs = 500;

const ms = (values: readonly number[]): string => `${percentile(values, 50).toFixed(0)} ms`;

export const assemblyFirstRecord: Figure = {
  what: `Time to the first record of a progressive answer with ${customers} records (four adaptors at 20 ms, one at ${slowestMs} ms, policy ASAP)`,
  deadlineMs: 180_000,
  run: (signal, tell) =>
    onStage(signal, async (stage) => {
      const domain = 'streamed';
      const delaysMs = [20, 20, 20, 20, slowestMs];
      const sources = await openAssemblySources(stage, { domain, customers, delaysMs, connections: 1 });
      const answers = [];
      // the first round is the warm-up
      for (let round = 0; round <= rounds; round += 1)
        answers.push(await sources.stream({ size: customers, releasePolicy: 'ASAP' }));
      const measured = answers.slice(1);
      tell(
        `first record after ${ms(measured.map(({ firstMs }) => firstMs))}, end after ` +
          `${ms(measured.map(({ endMs }) => endMs))}; the slowest adaptor takes ${slowestMs} ms (medians of ${rounds})`,
      );
    }),
};
