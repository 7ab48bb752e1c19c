/** Decides when the process collects garbage. V8 leaves garbage in memory while nothing allocates. */
export interface IdleCollector {
  /** Collects if the process is idle and has grown. Call it at intervals. */
  look(): void;
}

export interface IdleCollectorOptions {
  /** Memory in use in bytes, including garbage. */
  readonly usedBytes: () => number;
  /** Share of the time since the last call in which the event loop was busy, from 0 to 1. */
  readonly busyShare: () => number;
  readonly collect: () => void;
  /** Growth since the last collection that is worth the pause of another one. */
  readonly minGrowthBytes: number;
}

/** A collection pauses the process, so it must run while requests are rare. */
const maxBusyShare = 0.1;

export const createIdleCollector = (options: IdleCollectorOptions): IdleCollector => {
  const { usedBytes, busyShare, collect, minGrowthBytes } = options;
  /** The least memory that was in use since the last collection. */
  let floor = usedBytes();
  return {
    look: () => {
      const isIdle = busyShare() < maxBusyShare;
      const used = usedBytes();
      floor = Math.min(floor, used);
      if (!isIdle || used - floor < minGrowthBytes) return;
      collect();
      floor = usedBytes();
    },
  };
};
