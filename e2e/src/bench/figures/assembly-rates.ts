import type { Figure } from '../figure.js';
import { spreadOf } from '../../measure/spread.js';
import { openAssemblySources } from '../stage/open-assembly-sources.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 5;
const roundMs = 3_000;
const connections = 16;
const customers = 200;

const describe = (values: readonly number[], digits: number): string => {
  const { median, min, max } = spreadOf(values);
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
};

export const assemblyRates: Figure = {
  what: `Assembly requests a second with 1 and 10 adaptors that answer at once (${connections} connections, one record each)`,
  deadlineMs: 180_000,
  run: (signal, tell) =>
    onStage(signal, async (stage) => {
      const sources = await openAssemblySources(stage, {
        domain: 'rates',
        customers,
        delaysMs: Array.from({ length: 10 }, () => 0),
        connections,
      });
      let next = 0;
      const measure = async (adaptors: readonly string[]): Promise<number> => {
        const outcomes = Object.fromEntries(adaptors.map((uuid) => [uuid, 'ANSWERED']));
        const startedMs = performance.now();
        let answers = 0;
        const lane = async (): Promise<void> => {
          while (performance.now() - startedMs < roundMs) {
            next += 1;
            await sources.assemble(next % customers, { adaptors }, outcomes);
            answers += 1;
          }
        };
        await Promise.all(Array.from({ length: connections }, lane));
        return (answers * 1000) / (performance.now() - startedMs);
      };
      const [ones, tens, ratios]: [number[], number[], number[]] = [[], [], []];
      // the first round warms up
      for (let round = 0; round <= rounds; round += 1) {
        const one = await measure(sources.adaptorUuids.slice(0, 1));
        const ten = await measure(sources.adaptorUuids);
        if (round === 0) continue;
        ones.push(one);
        tens.push(ten);
        ratios.push(ten / one);
      }
      tell(`1 adaptor: ${describe(ones, 0)} requests/s`);
      tell(`10 adaptors: ${describe(tens, 0)} requests/s`);
      tell(`10 adaptors against 1: ${describe(ratios, 2)}`);
    }),
};
