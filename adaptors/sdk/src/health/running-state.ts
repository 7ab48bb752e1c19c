import type { AdaptorLog, StopReason } from '../adaptor.js';
import type { AdaptorConfiguration } from '../handlers.js';
import { ReportedState } from './reported-state.js';

/** The values that change while an adaptor runs. The steps of this folder read and write them. */
export interface RunningState {
  /** The state that is reported to the server. */
  readonly reported: ReportedState;
  /** The configuration in effect; undefined before the first one. */
  configuration: AdaptorConfiguration | undefined;
  /** The handlers read the source. */
  playing: boolean;
  /** The server wants the adaptor to play: a corrected configuration later starts the work that a faulty one prevented. */
  shallPlay: boolean;
  /** Aborted by a pause: an event that waits for another attempt comes again after PLAY. */
  attempts: AbortController;
  /** The stop that has begun; undefined while the adaptor runs. */
  stopping: Promise<void> | undefined;
  /** Why the adaptor stops. */
  stopReason: StopReason;
}

export const createRunningState = (log: AdaptorLog): RunningState => ({
  reported: new ReportedState(log),
  configuration: undefined,
  playing: false,
  shallPlay: false,
  attempts: new AbortController(),
  stopping: undefined,
  stopReason: 'STOPPED',
});
