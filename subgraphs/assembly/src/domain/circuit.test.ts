import { describe, expect, it } from '@jest/globals';
import { admit, afterVerdict, closedCircuit, type Admission, type Circuit, type Verdict } from './circuit.js';

const settings = { failures: 3, coolDownMs: 1_000 };

/** A circuit under test. A question is settled at once, or stays in progress. */
const open = () => {
  let circuit: Circuit = closedCircuit;
  let nowMs = 0;
  const ask = (callerUuid = 'ada'): Admission => {
    const admitted = admit(circuit, callerUuid, { nowMs, coolDownMs: settings.coolDownMs });
    circuit = admitted.circuit;
    return admitted.admission;
  };
  const settle = (outcome: Verdict['outcome'], admission: Verdict['admission'] = 'ASKED', callerUuid = 'ada'): void => {
    circuit = afterVerdict(circuit, { outcome, admission, callerUuid, nowMs }, settings);
  };
  return {
    ask,
    settle,
    fail: (times: number, callerUuid = 'ada') => {
      for (let failure = 0; failure < times; failure += 1) settle('FAILED', 'ASKED', callerUuid);
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
    get state() {
      return circuit.state;
    },
  };
};

describe('a circuit', () => {
  it('opens after the given number of consecutive failures, and not before', () => {
    const circuit = open();
    circuit.fail(2);
    circuit.settle('ANSWERED');
    circuit.fail(2);
    expect([circuit.state, circuit.ask()]).toEqual(['CLOSED', 'ASKED']);
    circuit.fail(1);
    expect([circuit.state, circuit.ask()]).toEqual(['OPEN', 'REFUSED']);
  });

  it('does not count questions for which no caller waited', () => {
    const circuit = open();
    circuit.fail(2);
    for (let times = 0; times < 10; times += 1) circuit.settle('NONE');
    expect(circuit.ask()).toBe('ASKED');
    circuit.fail(1);
    expect(circuit.ask()).toBe('REFUSED');
  });

  it('lets one question through after the cool-down, and closes when it is answered', () => {
    const circuit = open();
    circuit.fail(3);
    circuit.wait(999);
    expect(circuit.ask()).toBe('REFUSED');
    circuit.wait(1);
    expect([circuit.ask(), circuit.ask(), circuit.state]).toEqual(['PROBE', 'REFUSED', 'HALF_OPEN']);
    circuit.settle('ANSWERED', 'PROBE');
    expect([circuit.ask(), circuit.state]).toEqual(['ASKED', 'CLOSED']);
    circuit.fail(2);
    expect(circuit.state).toBe('CLOSED');
  });

  it('opens for another cool-down when the probe fails', () => {
    const circuit = open();
    circuit.fail(3);
    circuit.wait(1_000);
    circuit.ask();
    circuit.settle('FAILED', 'PROBE');
    expect([circuit.state, circuit.ask()]).toEqual(['OPEN', 'REFUSED']);
    circuit.wait(1_000);
    expect(circuit.ask()).toBe('PROBE');
  });

  it('lets the next question probe when no caller waited for the probe', () => {
    const circuit = open();
    circuit.fail(3);
    circuit.wait(1_000);
    circuit.ask();
    circuit.settle('NONE', 'PROBE');
    expect([circuit.ask(), circuit.ask()]).toEqual(['PROBE', 'REFUSED']);
  });

  it('lets another question probe when the probe has no outcome within a cool-down', () => {
    const circuit = open();
    circuit.fail(3);
    circuit.wait(1_000);
    expect(circuit.ask()).toBe('PROBE');
    circuit.wait(1_000);
    expect(circuit.ask()).toBe('PROBE');
  });

  it('is not kept open by questions from before it opened, and closes when one of them is answered', () => {
    const circuit = open();
    circuit.fail(3);
    circuit.wait(900);
    circuit.fail(5);
    circuit.wait(100);
    expect(circuit.ask()).toBe('PROBE');
    circuit.fail(1);
    expect(circuit.state).toBe('HALF_OPEN');
    circuit.settle('ANSWERED');
    expect(circuit.state).toBe('CLOSED');
  });

  it("is open for one caller only, while only that caller's questions fail", () => {
    const circuit = open();
    circuit.fail(3, 'ada');
    expect([circuit.ask('ada'), circuit.ask('bob'), circuit.ask('eve')]).toEqual(['REFUSED', 'ASKED', 'ASKED']);
    circuit.settle('FAILED', 'ASKED', 'bob');
    expect([circuit.ask('ada'), circuit.ask('bob'), circuit.ask('eve')]).toEqual(['REFUSED', 'REFUSED', 'REFUSED']);
  });
});
