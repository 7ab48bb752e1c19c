import { batchChecks } from './batch-checks.js';
import type { Check } from './check.js';
import { crashChecks } from './crash-checks.js';
import { dataChecks } from './data-checks.js';
import { editChecks } from './edit-checks.js';
import { lifeChecks } from './life-checks.js';
import type { ConformanceOptions } from './conformance-options.js';
import { CheckFailure, CheckSkipped, openWorld } from './open-world.js';
import { refusalChecks } from './refusal-checks.js';
import { sourceChecks } from './source-checks.js';

/** All checks, in the order of the report. */
export const conformanceChecks: readonly Check[] = [
  ...lifeChecks,
  ...dataChecks,
  ...batchChecks,
  ...crashChecks,
  ...sourceChecks,
  ...editChecks,
  ...refusalChecks,
];

export interface CheckResult extends Pick<Check, 'id' | 'clause' | 'level' | 'sentence'> {
  readonly outcome: 'PASSED' | 'FAILED' | 'SKIPPED';
  /** Reason of a failure or skip; after a failure also the end of the adaptor's output. */
  readonly reason?: string;
  readonly milliseconds: number;
}

export interface ConformanceRun extends ConformanceOptions {
  /** Ids of checks. Default: all. */
  readonly only?: readonly string[];
  /** Number of checks that run at the same time. Default 2. */
  readonly concurrency?: number;
  readonly onResult?: (result: CheckResult) => void;
}

const shownOutput = 2_000;

const tryCheck = async (
  check: Check,
  options: ConformanceOptions,
): Promise<Pick<CheckResult, 'outcome' | 'reason'>> => {
  const world = await openWorld(options);
  const outputOf = (): string => {
    try {
      return world.subject.output().slice(-shownOutput);
    } catch {
      return '';
    }
  };
  try {
    await check.run(world);
    return { outcome: 'PASSED' };
  } catch (error) {
    if (error instanceof CheckSkipped) return { outcome: 'SKIPPED', reason: error.message };
    const message = error instanceof CheckFailure || error instanceof Error ? error.message : String(error);
    const faults = world.hub.heard.faults
      .slice(0, 5)
      .map((fault) => `\n  ${fault}`)
      .join('');
    return { outcome: 'FAILED', reason: `${message}${faults}\n--- output of the adaptor\n${outputOf()}` };
  } finally {
    await world.close();
  }
};

/** Runs the checks against an adaptor in any language. Each check starts the adaptor again on a hub in memory. */
export const runConformance = async (options: ConformanceRun): Promise<readonly CheckResult[]> => {
  const { only, concurrency = 2, onResult } = options;
  const checks = conformanceChecks.filter(({ id }) => only?.includes(id) ?? true);
  const results = new Map<string, CheckResult>();
  const waiting = [...checks];
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const began = performance.now();
      const { id, clause, level, sentence } = check;
      const tried = await tryCheck(check, options);
      const result = { id, clause, level, sentence, ...tried, milliseconds: Math.round(performance.now() - began) };
      results.set(id, result);
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  return checks.flatMap(({ id }) => results.get(id) ?? []);
};

/** Does the adaptor conform? It does if no MUST failed. */
export const conforms = (results: readonly CheckResult[]): boolean =>
  results.length > 0 && !results.some(({ level, outcome }) => level === 'MUST' && outcome === 'FAILED');
