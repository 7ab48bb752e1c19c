import { describe, expect, it } from '@jest/globals';
import type { Tier } from '@fds/assembly-contract';
import { AdaptorDown } from '../bus/adaptor-questions.js';
import { gatherAnswers, type Enquiry, type GatherOptions } from './gathering.js';
import { startTimer } from './start-timer.js';

const enquiry = (name: string, tier: Tier, down = false): Enquiry => ({
  source: { adaptorUuid: name, name, zoneUuid: 'z', zoneName: 'Z', tier },
  recordUuids: new Set(['r']),
  down,
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  });

const options = (changes: Partial<GatherOptions>): GatherOptions => ({
  policy: 'GOLD',
  recordUuids: ['r'],
  timeoutMs: 20_000,
  startTimer,
  signal: new AbortController().signal,
  ask: () => Promise.resolve(new Map()),
  onFailure: () => undefined,
  ...changes,
});

describe('gatherAnswers', () => {
  it('does not wait for a silent source that the policy does not need', async () => {
    const gathered = await gatherAnswers(
      [enquiry('gold', 'GOLD'), enquiry('silent', 'BRONZE')],
      options({
        ask: ({ source }, signal) => (source.name === 'silent' ? untilAborted(signal) : Promise.resolve(new Map())),
      }),
    );
    expect(gathered.map(({ outcome }) => outcome)).toEqual(['ANSWERED', 'PENDING']);
  });

  it('releases at the time-out with the data that has arrived', async () => {
    const gathered = await gatherAnswers(
      [enquiry('silent', 'GOLD'), enquiry('quick', 'BRONZE')],
      options({
        timeoutMs: 20,
        ask: ({ source }, signal) => (source.name === 'silent' ? untilAborted(signal) : Promise.resolve(new Map())),
      }),
    );
    expect(gathered.map(({ outcome }) => outcome)).toEqual(['PENDING', 'ANSWERED']);
  });

  it('does not ask a source that is down, and reports a source that fails', async () => {
    const askedNames: string[] = [];
    const failures: string[] = [];
    const gathered = await gatherAnswers(
      [enquiry('down', 'GOLD', true), enquiry('broken', 'SILVER')],
      options({
        ask: ({ source }) => {
          askedNames.push(source.name);
          return Promise.reject(new Error('cannot'));
        },
        onFailure: ({ name }) => failures.push(name),
      }),
    );
    expect(askedNames).toEqual(['broken']);
    expect(failures).toEqual(['broken']);
    expect(gathered.map(({ outcome }) => outcome)).toEqual(['DOWN', 'FAILED']);
  });

  it('does not wait for an adaptor that goes down during the question', async () => {
    const failures: string[] = [];
    const gathered = await gatherAnswers(
      [enquiry('falling', 'GOLD'), enquiry('quick', 'BRONZE')],
      options({
        ask: ({ source }) =>
          source.name === 'falling' ? Promise.reject(new AdaptorDown('it went down')) : Promise.resolve(new Map()),
        onFailure: ({ name }) => failures.push(name),
      }),
    );
    expect(gathered.map(({ outcome }) => outcome)).toEqual(['DOWN', 'ANSWERED']);
    expect(failures).toEqual([]);
  });

  it('stops when the caller disconnects', async () => {
    const caller = new AbortController();
    const gathering = gatherAnswers(
      [enquiry('silent', 'GOLD')],
      options({ signal: caller.signal, ask: (_, signal) => untilAborted(signal) }),
    );
    caller.abort(new Error('gone'));
    await expect(gathering).rejects.toThrow('gone');
  });

  it('resolves at once when no adaptor has to be asked', async () => {
    expect(await gatherAnswers([], options({}))).toEqual([]);
  });
});
