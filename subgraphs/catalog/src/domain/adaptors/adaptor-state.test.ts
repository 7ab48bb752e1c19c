import { describe, expect, it } from '@jest/globals';
import { commanded, reported, startsPaused, type AdaptorReport, type AdaptorState } from './adaptor-state.js';

const states: readonly AdaptorState[] = ['DOWN', 'DOWN_PAUSED', 'STARTING', 'STARTED', 'PAUSING', 'PAUSED', 'ERROR'];
const reports: readonly AdaptorReport[] = ['STARTING', 'STARTED', 'PAUSED', 'ERROR', 'DOWN'];

describe('commands', () => {
  it.each([
    ['STARTED', 'PAUSE', 'PAUSING'],
    ['STARTING', 'PAUSE', 'PAUSING'],
    ['DOWN', 'PAUSE', 'DOWN_PAUSED'],
    ['DOWN_PAUSED', 'PLAY', 'DOWN'],
    ['PAUSED', 'PLAY', 'STARTING'],
    ['PAUSING', 'PLAY', 'STARTED'],
    ['ERROR', 'PLAY', 'ERROR'],
    ['ERROR', 'PAUSE', 'ERROR'],
  ] as const)('in state %s, the command %s gives %s, and the adaptor gets the order', (state, command, next) => {
    expect(commanded(state, command)).toEqual({ state: next, operation: command });
  });

  it.each(states)('REFRESH_STATE keeps the state %s and requests a report', (state) => {
    expect(commanded(state, 'REFRESH_STATE')).toEqual({ state, operation: 'REFRESH_STATE' });
  });
});

describe('reports', () => {
  it.each([
    ['DOWN', 'STARTING', 'STARTING', 'START'],
    ['DOWN_PAUSED', 'STARTING', 'DOWN_PAUSED', 'START'],
    ['PAUSED', 'STARTING', 'DOWN_PAUSED', 'START'],
    ['ERROR', 'STARTING', 'STARTING', 'START'],
    ['STARTING', 'STARTED', 'STARTED', undefined],
    ['STARTING', 'PAUSED', 'PAUSED', undefined],
    ['DOWN_PAUSED', 'PAUSED', 'PAUSED', undefined],
    ['DOWN_PAUSED', 'STARTED', 'PAUSING', 'PAUSE'],
    ['PAUSING', 'STARTED', 'PAUSING', 'PAUSE'],
    ['PAUSING', 'PAUSED', 'PAUSED', undefined],
    ['PAUSED', 'STARTED', 'STARTED', undefined],
    ['STARTED', 'DOWN', 'DOWN', undefined],
    ['STARTING', 'DOWN', 'DOWN', undefined],
    ['ERROR', 'DOWN', 'DOWN', undefined],
    ['PAUSED', 'DOWN', 'DOWN_PAUSED', undefined],
    ['PAUSING', 'DOWN', 'DOWN_PAUSED', undefined],
    ['DOWN_PAUSED', 'DOWN', 'DOWN_PAUSED', undefined],
    ['ERROR', 'STARTED', 'STARTED', undefined],
  ] as const)('in state %s, the report %s gives %s and sends %s', (state, report, next, operation) => {
    expect(reported(state, report)).toEqual({ state: next, ...(operation === undefined ? {} : { operation }) });
  });

  it.each(states)('an error is an error from %s on', (state) => {
    expect(reported(state, 'ERROR').state).toBe('ERROR');
  });

  it('a repeated report changes nothing', () => {
    for (const state of states) {
      for (const report of reports) {
        const once = reported(state, report).state;
        expect([state, report, reported(once, report).state]).toEqual([state, report, once]);
      }
    }
  });

  it('a pause survives any number of lost connections', () => {
    let state: AdaptorState = 'PAUSING';
    for (const report of ['DOWN', 'STARTING', 'DOWN', 'STARTING', 'STARTING'] as const) {
      state = reported(state, report).state;
      expect(startsPaused(state)).toBe(true);
    }
    expect(reported(state, 'PAUSED').state).toBe('PAUSED');
  });
});
