import { describe, expect, it } from '@jest/globals';
import { commandedHosted, reportedByHost, type AdaptorState } from './adaptor-state.js';

const states: readonly AdaptorState[] = ['DOWN', 'DOWN_PAUSED', 'STARTING', 'STARTED', 'PAUSING', 'PAUSED', 'ERROR'];
const after = (next: (state: AdaptorState) => AdaptorState): string[] => states.map(next);

describe('the state of an adaptor that the service runs', () => {
  it('follows the reports of the process that runs it, but no report reverses a command', () => {
    expect(after((state) => reportedByHost(state, 'STARTED'))).toEqual([
      'STARTED',
      'DOWN_PAUSED',
      'STARTED',
      'STARTED',
      'PAUSING',
      'PAUSED',
      'STARTED',
    ]);
    expect(after((state) => reportedByHost(state, 'ERROR'))).toEqual([
      'ERROR',
      'DOWN_PAUSED',
      'ERROR',
      'ERROR',
      'PAUSING',
      'PAUSED',
      'ERROR',
    ]);
    expect(after((state) => reportedByHost(state, 'PAUSED'))).toEqual([
      'DOWN',
      'PAUSED',
      'STARTING',
      'STARTED',
      'PAUSED',
      'PAUSED',
      'ERROR',
    ]);
    expect(after((state) => reportedByHost(state, 'DOWN'))).toEqual([
      'DOWN',
      'DOWN_PAUSED',
      'DOWN',
      'DOWN',
      'DOWN_PAUSED',
      'DOWN_PAUSED',
      'DOWN',
    ]);
  });

  it('follows commands in ERROR too', () => {
    expect(after((state) => commandedHosted(state, 'PLAY'))).toEqual([
      'DOWN',
      'DOWN',
      'STARTING',
      'STARTED',
      'STARTED',
      'STARTING',
      'STARTING',
    ]);
    expect(after((state) => commandedHosted(state, 'PAUSE'))).toEqual([
      'DOWN_PAUSED',
      'DOWN_PAUSED',
      'PAUSING',
      'PAUSING',
      'PAUSING',
      'PAUSED',
      'PAUSING',
    ]);
    expect(after((state) => commandedHosted(state, 'REFRESH_STATE'))).toEqual([
      'DOWN',
      'DOWN_PAUSED',
      'STARTING',
      'STARTED',
      'PAUSING',
      'PAUSED',
      'STARTING',
    ]);
  });
});
