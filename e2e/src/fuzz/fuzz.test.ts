import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLeftovers } from '../harness/leftovers.js';
import { openMachineWatch, type MachineWatch } from '../measure/open-machine-watch.js';
import { processorTimeOf } from '../measure/processor-time.js';
import { openFuzzStage, type FuzzStage } from './open-fuzz-stage.js';
import { faultsOfService } from './run/faults-of-service.js';
import { fuzzOne } from './run/fuzz-one.js';
import { fuzzTargets } from './run/fuzz-targets.js';
import { fuzzedOperations } from './targets/rest-requests.js';

const seed = Number(process.env['FDS_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const loops = 2;

describe(`hostile input (FDS_FUZZ_SEED=${seed})`, () => {
  const leftovers = createLeftovers();
  let stage: FuzzStage;
  let machine: MachineWatch;
  const processorMs = () => processorTimeOf(stage.doors.service.process().pid);

  beforeAll(async () => {
    stage = await openFuzzStage(leftovers, loops);
    machine = await openMachineWatch(stage.doors.service.dataDir);
    leftovers.add(machine.close);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it('has no fault at any documented operation', async () => {
    const operations = await fuzzedOperations(stage.doors);
    const faults: string[] = [];
    const perOperationMs = 20_000 / operations.length;
    for (const { operationId, cases } of operations) {
      const endsAt = performance.now() + perOperationMs;
      const plan = { cases: 25, seed, loops: 1, maxFaults: 1, processorMs, stalledMs: machine.stalledMs, endsAt };
      const result = await fuzzOne({ name: operationId, cases }, plan);
      faults.push(...result.faults);
    }
    expect(faults).toEqual([]);
  }, 120_000);

  it('has no fault at any door', async () => {
    const targets = await fuzzTargets(stage);
    const faults: string[] = [];
    for (const target of targets) {
      const endsAt = performance.now() + 2_000;
      const result = await fuzzOne(target, {
        cases: 200,
        seed,
        loops,
        maxFaults: 3,
        processorMs,
        stalledMs: machine.stalledMs,
        endsAt,
      });
      faults.push(...result.faults);
      expect(result.cases).toBeGreaterThan(0);
    }
    expect(faults).toEqual([]);
  }, 120_000);

  it('leaves the service healthy, without a logged defect, and with its prototypes unchanged', async () => {
    expect(await faultsOfService(stage)).toEqual([]);
  });
});
