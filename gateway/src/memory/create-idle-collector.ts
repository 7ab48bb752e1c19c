/** Decides when the process collects garbage that V8 leaves because nothing allocates. */
export interface IdleCollector {
  /** Collects if the process is idle and has grown. To be called at intervals. */
  look(): void;
}

export interface IdleCollectorOptions {
  /** Memory in use, collectable or not, in bytes. */
  readonly usedBytes: () => number;
  /** Share of the time since the last call in which the event loop was busy, from 0 to 1. */
  readonly busyShare: () => number;
  readonly collect: () => void;
  /** Growth since the last collection at which another one is worth its pause. */
  readonly minGrowthBytes: number;
}

/** A collection stops the process for a moment, so requests must be rare when it happens. */
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
