import fc from 'fast-check';
import type { FuzzCase, FuzzTarget } from '../fuzz-target.js';

const slowMs = 1_000;
/** Cases that took longer are kept: one of them had the longest piece of work. */
const keptFromMs = 20;
/** A case that takes longer by the clock waits for something. */
const stuckMs = 10_000;
/** The processor time of a case is counted from here. */
const countedAfterMs = 100;
/** A case is slow now and then because of its neighbours. An expensive case is slow each time. */
const attempts = 4;

/** A case, and when it was sent and answered, as epoch milliseconds. */
export interface SentCase {
  readonly one: FuzzCase;
  readonly from: number;
  readonly to: number;
}

export interface FuzzResult {
  readonly name: string;
  readonly cases: number;
  readonly slowestMs: number;
  /** Each case that took longer than some milliseconds. */
  readonly long: readonly SentCase[];
  /** One text for each fault, shrunk, with the seed. */
  readonly faults: readonly string[];
}

export interface FuzzPlan {
  /** Total number of cases, shared by the loops. */
  readonly cases: number;
  readonly seed: number;
  /** Number of loops that send at the same time. */
  readonly loops: number;
  /** The target ends when this number of faults is found. */
  readonly maxFaults: number;
  /** Processor time of the service and its database until now, if it is known. Other work of the machine does not count. */
  readonly processorMs: () => number | undefined;
  /** The part of a span, by `performance.now`, in which the machine itself stood still. */
  readonly stalledMs: (from: number, to: number) => number;
  /** No case starts later than this, in milliseconds of `performance.now`. */
  readonly endsAt: number;
}

/**
 * Sends the cases of a target. A case must have no fault, and must not cost more than a second of processor time, or ten seconds by the
 * clock, each time it is sent. The time in which the machine itself stood still does not count.
 */
export const fuzzOne = async (target: FuzzTarget, plan: FuzzPlan): Promise<FuzzResult> => {
  let asked = 0;
  let slowestMs = 0;
  const faults: string[] = [];
  const long: SentCase[] = [];

  const timed = async (one: FuzzCase): Promise<number> => {
    const begins = performance.now();
    const from = Date.now();
    let processorBegins: number | undefined;
    // reading it costs more than most cases
    const later = setTimeout(() => {
      processorBegins = plan.processorMs();
    }, countedAfterMs);
    try {
      await one.ask();
    } catch (error) {
      throw new Error(`${one.label}\n    ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    } finally {
      clearTimeout(later);
    }
    const ends = performance.now();
    if (ends - begins >= keptFromMs) long.push({ one, from, to: Date.now() });
    const ms = ends - begins - plan.stalledMs(begins, ends);
    if (ms <= slowMs || ms > stuckMs || processorBegins === undefined) return ms;
    return Math.min(ms, (plan.processorMs() ?? Infinity) - processorBegins);
  };

  const askSoon = async (one: FuzzCase): Promise<void> => {
    asked += 1;
    let took = Infinity;
    for (let attempt = 0; attempt < attempts && took > slowMs; attempt += 1) took = Math.min(took, await timed(one));
    slowestMs = Math.max(slowestMs, took);
    if (took > slowMs) throw new Error(`${one.label}\n    took ${Math.round(took)} ms or more, ${attempts} times`);
  };

  const loop = async (index: number): Promise<void> => {
    let left = Math.ceil(plan.cases / plan.loops);
    for (let round = 0; left > 0 && faults.length < plan.maxFaults && performance.now() < plan.endsAt; round += 1) {
      const seed = (plan.seed + index * 1_000 + round) | 0;
      let sent = 0;
      const property = fc.asyncProperty(target.cases, async (one) => {
        if (performance.now() >= plan.endsAt) return;
        sent += 1;
        await askSoon(one);
      });
      const details = await fc.check(property, {
        seed,
        numRuns: left,
        interruptAfterTimeLimit: Math.max(1, plan.endsAt - performance.now()),
      });
      left -= sent;
      if (details.failed && details.errorInstance instanceof Error)
        faults.push(`${target.name}, seed ${seed}: ${details.errorInstance.message}`);
      if (sent === 0) return;
    }
  };

  await Promise.all(Array.from({ length: plan.loops }, (_, index) => loop(index)));
  return { name: target.name, cases: asked, slowestMs: Math.round(slowestMs), long, faults };
};
