import type { Figure } from '../figure.js';
import { insertLinkedRecords } from '../stage/insert-linked-records.js';
import { openAssemblySources } from '../stage/open-assembly-sources.js';
import { onStage } from '../stage/open-stage.js';
import { residentMib } from '../../measure/resident-memory.js';

const sizes = [1_000, 100_000] as const;

export const assemblyMemory: Figure = {
  what: 'Resident memory during a progressive answer with 1000 and with 100 000 records (2 adaptors that answer at once)',
  deadlineMs: 300_000,
  run: (signal, tell) =>
    onStage(signal, async (stage) => {
      const { service, databaseUrl } = stage;
      const domain = 'large';
      const sources = await openAssemblySources(stage, { domain, customers: 0, delaysMs: [0, 0], connections: 1 });
      const { adaptorUuids } = sources;
      await insertLinkedRecords(databaseUrl, { domain, adaptorUuids, count: Math.max(...sizes) });
      const mib = (): number => residentMib(service.process().pid);
      tell(`before: ${mib().toFixed(0)} MiB`);
      for (const size of sizes) {
        let peak = mib();
        const watch = setInterval(() => {
          peak = Math.max(peak, mib());
        }, 50);
        try {
          const { firstMs, endMs } = await sources.stream({ size, timeout: 60 });
          tell(
            `${size} records: peak of ${peak.toFixed(0)} MiB, first record after ${firstMs.toFixed(0)} ms, ` +
              `end after ${(endMs / 1000).toFixed(1)} s`,
          );
        } finally {
          clearInterval(watch);
        }
      }
    }),
};
