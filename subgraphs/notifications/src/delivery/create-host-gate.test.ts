import { describe, expect, it } from '@jest/globals';
import { createHostGate } from './create-host-gate.js';

const origin = 'https://receiver.example';
const failed = { kind: 'FAILED', milliseconds: 1, isUnreachable: true } as const;
const answered = { kind: 'FAILED', httpStatus: 500, milliseconds: 1 } as const;

const openGate = (receiversPerHost = 2) => {
  const clock = { ms: 0 };
  const policy = { failures: 3, coolDownMs: 1000, maxCoolDownMs: 4000 };
  return { clock, gate: createHostGate({ receiversPerHost, policy, now: () => new Date(clock.ms) }) };
};

describe('the host gate', () => {
  it('gives a host a limited number of places, and serves waiting registrations in order, each once', () => {
    const { gate } = openGate();
    const kinds = ['a', 'b', 'c', 'd', 'c'].map((uuid) => gate.enter(origin, uuid).kind);
    expect(kinds).toEqual(['SEND', 'SEND', 'QUEUED', 'QUEUED', 'QUEUED']);
    expect(gate.enter('https://other.example', 'e').kind).toBe('SEND');
    gate.leave(origin);
    expect([gate.next(origin), gate.next(origin), gate.next(origin)]).toEqual(['c', 'd', undefined]);
    expect(gate.enter(origin, 'c').kind).toBe('SEND');
  });

  it('lets one receiver try a host that cannot be reached, and all of them after any answer', () => {
    const { gate, clock } = openGate();
    for (let attempt = 0; attempt < 3; attempt += 1) gate.note(origin, failed);
    expect(gate.enter(origin, 'a')).toEqual({ kind: 'WAIT', untilMs: 1000 });
    clock.ms = 1000;
    expect(gate.enter(origin, 'a').kind).toBe('SEND');
    expect(gate.enter(origin, 'b')).toEqual({ kind: 'WAIT', untilMs: 2000 });
    gate.note(origin, failed);
    expect(gate.enter(origin, 'b')).toEqual({ kind: 'WAIT', untilMs: 3000 });
    gate.note(origin, answered);
    expect(gate.enter(origin, 'b').kind).toBe('SEND');
  });

  it('stays open when an answer interrupts the failures', () => {
    const { gate } = openGate();
    for (const outcome of [failed, failed, answered, failed, failed]) gate.note(origin, outcome);
    expect(gate.enter(origin, 'a').kind).toBe('SEND');
  });
});
