import { describe, expect, it } from '@jest/globals';
import { createChangedKeys } from './changed-keys.js';
import { createChangeReporter } from './report-changes.js';

const openReporter = () => {
  const changes = createChangedKeys<number, string>();
  const listener = {
    batchSize: 100,
    onStart: () => undefined,
    onKeys: () => Promise.resolve(),
    onUnknownRows: () => Promise.resolve(),
  };
  const reporter = createChangeReporter({
    changes,
    listener,
    untilVisible: () => Promise.resolve(),
    confirm: () => Promise.resolve(),
  });
  return { changes, reporter };
};

describe('the reporter of changes asks the source to wait', () => {
  it('when four batches of keys wait', () => {
    const { changes, reporter } = openReporter();
    for (let id = 0; id < 400; id += 1) changes.addKey([id]);
    expect(reporter.isFull).toBe(false);
    changes.addKey([400]);
    expect(reporter.isFull).toBe(true);
  });

  it('when fewer keys fill 16 MiB, until they are reported', async () => {
    const { changes, reporter } = openReporter();
    let added = 0;
    while (!reporter.isFull) changes.addKey([`${'k'.repeat(200_000)}${(added += 1)}`]);
    expect(added).toBeLessThan(25);
    await reporter.report();
    expect(reporter.isFull).toBe(false);
  });
});
