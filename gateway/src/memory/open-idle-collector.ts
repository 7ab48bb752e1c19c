import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Closable, Log } from '@fds/service';
import { createIdleCollector } from './create-idle-collector.js';

export interface IdleCollectorSettings {
  /** Growth at which the idle process collects garbage, in bytes. */
  readonly minGrowthBytes: number;
  readonly log: Log;
}

const everyMs = 5_000;

/** V8 exposes its collector only to contexts that are created after the flag is set. */
const findCollect = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') throw new TypeError('V8 exposes no collector');
  return () => void Reflect.apply(collect, undefined, []);
};

/** Watches the memory of this process and collects while it is idle, until it is closed. */
export const openIdleCollector = ({ minGrowthBytes, log }: IdleCollectorSettings): Closable => {
  const collect = findCollect();
  const usedBytes = (): number => {
    const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
    return heap + external;
  };
  let before = performance.eventLoopUtilization();
  const collector = createIdleCollector({
    usedBytes,
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    collect: () => {
      const [startedMs, used] = [performance.now(), usedBytes()];
      collect();
      const ms = Math.round(performance.now() - startedMs);
      log.debug({ before: used, after: usedBytes(), ms }, 'collected garbage while idle');
    },
    minGrowthBytes,
  });
  const timer = setInterval(() => collector.look(), everyMs).unref();
  return {
    close: async () => clearInterval(timer),
  };
};
