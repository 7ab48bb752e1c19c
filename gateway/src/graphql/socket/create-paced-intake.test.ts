import { describe, expect, it } from '@jest/globals';
import { createAnswerFlow } from './create-answer-flow.js';
import { createPacedIntake } from './create-paced-intake.js';
import { defaultSocketLimits, type SocketLimits } from './socket-limits.js';

const createTwo = (limits: Partial<SocketLimits>) => {
  const answerFlow = createAnswerFlow({ ...defaultSocketLimits, ...limits });
  const openOne = () => {
    const log: string[] = [];
    const finish = new Map<string, () => void>();
    const flow = answerFlow.openSocket();
    flow.ownedBy('ada');
    const state = { isOpen: true };
    const intake = createPacedIntake<string>({
      flow,
      pause: () => log.push('pause'),
      resume: () => log.push('resume'),
      isOpen: () => state.isOpen,
      needsPlace: (message) => message !== 'complete',
      handle: (message) => {
        log.push(message);
        return new Promise((resolve) => finish.set(message, resolve));
      },
      onError: () => undefined,
    });
    const end = async (message: string): Promise<void> => {
      finish.get(message)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { log, flow, intake, end, state };
  };
  return [openOne(), openOne()] as const;
};

describe('a paced intake', () => {
  it('starts as many messages as the flow allows, and resumes reading when none waits', async () => {
    const [{ intake, log, end }] = createTwo({ maxOperations: 2 });
    for (const message of ['a', 'b', 'c', 'd']) intake.take(message);
    expect(log).toEqual(['a', 'b', 'pause']);
    await end('b');
    expect(log).toEqual(['a', 'b', 'pause', 'c']);
    await end('a');
    expect(log).toEqual(['a', 'b', 'pause', 'c', 'd', 'resume']);
  });

  it('handles a message at once when it needs no place', async () => {
    const [{ intake, log, end }] = createTwo({ maxOperations: 1 });
    for (const message of ['a', 'complete', 'b']) intake.take(message);
    expect(log).toEqual(['a', 'complete', 'pause']);
    await end('complete');
    await end('a');
    expect(log).toEqual(['a', 'complete', 'pause', 'b', 'resume']);
  });

  it('starts nothing while too much is unread', () => {
    const [{ intake, log, flow }] = createTwo({ maxUnread: 10 });
    flow.sending(10);
    intake.take('a');
    expect(log).toEqual(['pause']);
    flow.sent(1);
    expect(log).toEqual(['pause', 'a', 'resume']);
  });

  it('counts all sockets of a caller together, also after one is closed', async () => {
    const [one, other] = createTwo({ maxOperationsPerCaller: 1 });
    one.intake.take('a');
    one.flow.close();
    other.intake.take('b');
    expect([one.log, other.log]).toEqual([['a'], ['pause']]);
    await one.end('a');
    expect(other.log).toEqual(['pause', 'b', 'resume']);
  });

  it('counts the unread answers of all sockets together', () => {
    const [one, other] = createTwo({ maxUnreadInAll: 10 });
    one.flow.sending(10);
    other.intake.take('a');
    expect(other.log).toEqual(['pause']);
    one.flow.sent(10);
    expect(other.log).toEqual(['pause', 'a', 'resume']);
  });

  it('drops waiting messages when the socket is no longer open', async () => {
    const [{ intake, log, end, state }] = createTwo({ maxOperations: 1 });
    for (const message of ['a', 'b', 'c']) intake.take(message);
    state.isOpen = false;
    await end('a');
    expect(log).toEqual(['a', 'pause', 'resume']);
  });
});
