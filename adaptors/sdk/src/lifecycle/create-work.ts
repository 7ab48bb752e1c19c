import type { DataChannel } from '../channel/data-channel.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { RunningState } from '../health/running-state.js';

/** The work of an adaptor: its handlers read the source, and data events flow in both directions. */
export interface Work {
  /** Begins or continues the work. */
  play(): Promise<void>;
  /** Ends the work until the next `play`. */
  pause(): Promise<void>;
  /** Lets the handlers stop reading the source. Data events still flow. */
  quiet(): Promise<void>;
  /** Takes no more events, finishes what is being applied, and ends the waiting for another attempt. */
  haltData(): Promise<void>;
}

export interface WorkOptions {
  readonly state: RunningState;
  readonly handlers: Pick<AdaptorHandlers, 'play' | 'pause'>;
  readonly data: Pick<DataChannel, 'play' | 'pause'>;
}

export const createWork = ({ state, handlers, data }: WorkOptions): Work => {
  const quiet = async (): Promise<void> => {
    if (state.playing) await handlers.pause?.();
    state.playing = false;
  };
  const haltData = async (): Promise<void> => {
    const halted = data.pause();
    state.attempts.abort();
    await halted;
  };
  return {
    play: async () => {
      if (!state.playing) {
        await handlers.play?.();
        state.playing = true;
        state.attempts = new AbortController();
      }
      data.play();
      state.reported.enter('STARTED');
    },
    pause: async () => {
      await quiet();
      await haltData();
      state.reported.enter('PAUSED');
    },
    quiet,
    haltData,
  };
};
