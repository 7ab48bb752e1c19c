import { describe, expect, it } from '@jest/globals';
import type { OpsRequest } from '@fds/adaptor-protocol';
import { createQuestions } from './create-questions.js';

const health = { operation: 'HEALTH' } as const;
const answerTo = (requestId: string) => ({ requestId, operation: 'HEALTH', accepted: true }) as const;

describe('questions to adaptors', () => {
  const open = (options: { timeoutMs?: number; send?: () => Promise<void> } = {}) => {
    const sent: OpsRequest[] = [];
    const send = (_adaptorUuid: string, request: OpsRequest): Promise<void> => {
      sent.push(request);
      return options.send?.() ?? Promise.resolve();
    };
    return { sent, questions: createQuestions({ send, timeoutMs: options.timeoutMs ?? 60_000 }) };
  };

  it('are answered by an answer with their id from the same adaptor', async () => {
    const { sent, questions } = open();
    const [one, other] = [questions.ask('a', '1', health), questions.ask('b', '2', health)];
    expect(sent).toEqual([
      { operation: 'HEALTH', requestId: '1' },
      { operation: 'HEALTH', requestId: '2' },
    ]);
    expect(questions.answered('a', answerTo('2'))).toBe(false);
    expect(questions.answered('a', answerTo('9'))).toBe(false);
    expect(questions.answered('b', answerTo('2'))).toBe(true);
    expect(questions.answered('a', answerTo('1'))).toBe(true);
    expect([await one, await other]).toEqual([answerTo('1'), answerTo('2')]);
    expect(questions.answered('a', answerTo('1'))).toBe(false);
  });

  it('have no answer when the adaptor is silent, disconnects, or cannot be reached', async () => {
    const silent = open({ timeoutMs: 1 });
    expect(await silent.questions.ask('a', '1', health)).toBeUndefined();
    const going = open();
    const [asked, another] = [going.questions.ask('a', '1', health), going.questions.ask('b', '2', health)];
    going.questions.gone('a');
    expect(await asked).toBeUndefined();
    going.questions.answered('b', answerTo('2'));
    expect(await another).toEqual(answerTo('2'));
    const unreachable = open({ send: () => Promise.reject(new Error('not connected')) });
    expect(await unreachable.questions.ask('a', '1', health)).toBeUndefined();
  });

  it('end when the process that sent them closes', async () => {
    const { questions } = open();
    const asked = questions.ask('a', '1', health);
    questions.close();
    expect(await asked).toBeUndefined();
  });
});
