import { describe, expect, it } from '@jest/globals';
import { createIdleCollector } from './create-idle-collector.js';

/** A process that starts with 100 bytes in use. Each collection leaves `kept` bytes. */
const createProcess = (kept: number) => {
  const state = { used: 100, busy: 0, collections: 0 };
  const collector = createIdleCollector({
    usedBytes: () => state.used,
    busyShare: () => state.busy,
    collect: () => {
      state.collections += 1;
      state.used = kept;
    },
    minGrowthBytes: 50,
  });
  return { state, collector };
};

describe('an idle collector', () => {
  it('collects after the process has grown', () => {
    const { state, collector } = createProcess(100);
    state.used = 149;
    collector.look();
    expect(state.collections).toBe(0);
    state.used = 150;
    collector.look();
    expect(state.collections).toBe(1);
  });

  it('waits until the process is idle', () => {
    const { state, collector } = createProcess(100);
    Object.assign(state, { used: 500, busy: 0.1 });
    collector.look();
    expect(state.collections).toBe(0);
    state.busy = 0.09;
    collector.look();
    expect(state.collections).toBe(1);
  });

  it('does not collect again because of memory that remains in use', () => {
    const { state, collector } = createProcess(400);
    state.used = 500;
    collector.look();
    collector.look();
    expect(state.collections).toBe(1);
  });

  it('measures growth from the least memory that was in use', () => {
    const { state, collector } = createProcess(100);
    state.used = 30;
    collector.look();
    state.used = 80;
    collector.look();
    expect(state.collections).toBe(1);
  });
});
