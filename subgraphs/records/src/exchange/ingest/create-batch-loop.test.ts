import { describe, expect, it } from '@jest/globals';
import { createLog } from '@fds/service';
import type { AdaptorView } from '../../domain/catalog.js';
import type { QueuedEvent } from './queued-event.js';
import { createBatchLoop } from './create-batch-loop.js';

const adaptor: AdaptorView = {
  uuid: 'a',
  name: 'a',
  zoneUuid: 'z',
  active: true,
  state: 'STARTED',
  discoveryMode: false,
  capabilities: new Set(),
};

const queued = (sequence: number): QueuedEvent => ({
  adaptor,
  position: { epoch: 'e', sequence },
  event: {
    kind: 'FAULTY',
    sourceAdaptorUuid: adaptor.uuid,
    version: undefined,
    key: undefined,
    drUuid: undefined,
    exception: 'PARSING',
    cause: 'FAULTY',
    title: `event ${sequence}`,
    errors: [],
    text: () => '{}',
  },
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const nothing = {
  sources: [],
  destinations: [],
  deliveries: [],
  tried: new Set<string>(),
  settled: new Set<string>(),
  leftQueues: [],
  refused: [],
  newIssues: [],
  unblocked: [],
  awaited: [],
  counted: [],
  crossed: [],
};

/** A loop whose commits fail as `fault` says; `commits` are the titles of the committed batches. */
const createWorld = (fault: (titles: readonly string[], attempt: number) => Error | undefined, maxBatch = 10) => {
  const commits: string[][] = [];
  const givenUp: number[] = [];
  let attempts = 0;
  const loop = createBatchLoop({
    log: createLog('silent'),
    maxBatch,
    onCommitted: () => undefined,
    onGivenUp: (batch) => givenUp.push(batch.length),
    commit: async (batch) => {
      attempts += 1;
      const titles = batch.map(({ event }) => (event.kind === 'FAULTY' ? event.title : event.kind));
      const error = fault(titles, attempts);
      if (error !== undefined) throw error;
      commits.push(titles);
      return nothing;
    },
  });
  return { loop, commits, givenUp, attempts: () => attempts };
};

describe('batch loop', () => {
  it('commits what arrives together at once, in order, within its bound', async () => {
    const { loop, commits } = createWorld(() => undefined, 2);
    await Promise.all([1, 2, 3].map((sequence) => loop.add(queued(sequence))));
    expect(commits).toEqual([['event 1', 'event 2'], ['event 3']]);
  });

  it('commits events that were added together in one batch', async () => {
    const { loop, commits } = createWorld(() => undefined, 2);
    await Promise.all([loop.add(queued(1)), loop.addAll([2, 3, 4].map(queued)), loop.add(queued(5))]);
    expect(commits).toEqual([['event 1'], ['event 2', 'event 3', 'event 4'], ['event 5']]);
  });

  it('gives events up together that were added together', async () => {
    const { loop, commits, givenUp } = createWorld(
      (titles) =>
        titles.includes('event 2') || titles.includes('The event cannot be stored') ? failure('XX000') : undefined,
      2,
    );
    const group = loop.addAll([2, 3].map(queued));
    await expect(group).rejects.toThrow('XX000');
    await loop.add(queued(4));
    expect(givenUp).toEqual([2]);
    expect(commits).toEqual([['event 4']]);
  });

  it.each(['23505', '40001', '40P01'])('repeats a batch after %s', async (code) => {
    const { loop, commits } = createWorld((_, attempt) => (attempt < 3 ? failure(code) : undefined));
    await Promise.all([loop.add(queued(1)), loop.add(queued(2))]);
    expect(commits).toEqual([['event 1', 'event 2']]);
  });

  it('isolates an event that the database refuses: it becomes an issue, the others go on', async () => {
    const { loop, commits } = createWorld((titles) => (titles.includes('event 2') ? failure('22P05') : undefined));
    await Promise.all([1, 2, 3].map((sequence) => loop.add(queued(sequence))));
    expect(commits).toEqual([['event 1'], ['The event cannot be stored'], ['event 3']]);
  });

  it('waits for a database that is away', async () => {
    const { loop, commits } = createWorld((_, attempt) => (attempt === 1 ? failure('ECONNREFUSED') : undefined));
    await loop.add(queued(1));
    expect(commits).toEqual([['event 1']]);
  });

  it('gives up what cannot even become an issue, and says so', async () => {
    const { loop, givenUp, commits } = createWorld((_, attempt) => (attempt <= 3 ? failure('XX000') : undefined));
    await expect(loop.add(queued(1))).rejects.toThrow('XX000');
    expect(givenUp).toEqual([1]);
    await loop.add(queued(2));
    expect(commits).toEqual([['event 2']]);
  });

  it('commits what has arrived before it closes', async () => {
    const { loop, commits } = createWorld(() => undefined);
    const added = loop.add(queued(1));
    await loop.close();
    await added;
    expect(commits).toEqual([['event 1']]);
  });
});
