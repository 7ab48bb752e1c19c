import type { Figure } from '../figure.js';
import { percentile } from '../percentile.js';
import { openAssemblySources } from '../stage/open-assembly-sources.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 5;
const requestsPerRound = 60;

export const assemblyReferences: Figure = {
  what: 'Assembly of one record with and without the record that it refers to (5 adaptors at 20 ms hold both)',
  deadlineMs: 180_000,
  run: (signal, tell) =>
    onStage(signal, async (stage) => {
      const sources = await openAssemblySources(stage, {
        domain: 'referring',
        customers: requestsPerRound + 1,
        delaysMs: [20, 20, 20, 20, 20],
        connections: 1,
        withPartners: true,
      });
      const outcomes = Object.fromEntries(sources.adaptorUuids.map((uuid) => [uuid, 'ANSWERED']));
      const measure = async (choice: Readonly<Record<string, unknown>>): Promise<number> => {
        const waits: number[] = [];
        for (let n = 0; n < requestsPerRound; n += 1) waits.push(await sources.assemble(n, choice, outcomes));
        return percentile(waits, 50);
      };
      const [flat, expanded]: [number[], number[]] = [[], []];
      for (let round = 0; round <= rounds; round += 1) {
        const one = await measure({});
        const other = await measure({ expandRefs: true, maxRefDepth: 1 });
        if (round === 0) continue;
        flat.push(one);
        expanded.push(other);
      }
      const [without, withReferences] = [percentile(flat, 50), percentile(expanded, 50)];
      tell(
        `without ${without.toFixed(1)} ms, with one level ${withReferences.toFixed(1)} ms: ` +
          `${(withReferences / without).toFixed(2)} times (p50, ${rounds} rounds of ${requestsPerRound})`,
      );
    }),
};
