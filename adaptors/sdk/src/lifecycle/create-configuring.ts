import { stringifyJson } from '@fds/adaptor-protocol';
import type { AdaptorConfiguration, AdaptorHandlers } from '../handlers.js';
import { createConfigurationRetries } from '../operations/configuration-retries.js';
import { resolveVariables } from '../properties/resolve-variables.js';
import { reasonOf } from '../reason-of.js';
import type { Work } from './create-work.js';
import type { RunningState } from '../health/running-state.js';
import type { StateReports } from '../health/state-reports.js';

/** Takes over the configurations that the server sends. */
export interface Configuring {
  /**
   * Takes over a configuration. A failure leaves the one before in effect; where it asks for another attempt, one is planned.
   *
   * @throws the error of the handler, or of a text of the metadata
   */
  configure(next: AdaptorConfiguration): Promise<void>;
  /** Gives up the attempt that is planned. */
  cancel(): void;
}

export interface ConfiguringOptions {
  readonly state: RunningState;
  readonly handlers: Pick<AdaptorHandlers, 'configure'>;
  readonly work: Pick<Work, 'play'>;
  readonly reports: Pick<StateReports, 'report' | 'fail'>;
  /** May the metadata name this variable of the environment? */
  readonly mayName: (name: string) => boolean;
  /** Runs an attempt when no operation is under way. */
  readonly enqueue: (attempt: () => Promise<void>) => void;
  /** Another configuration is in effect. */
  readonly onTakenOver: () => void;
}

const isSame = (one: AdaptorConfiguration, other: AdaptorConfiguration | undefined): boolean =>
  other !== undefined && stringifyJson(one) === stringifyJson(other);

export const createConfiguring = (options: ConfiguringOptions): Configuring => {
  const { state, handlers, work, reports, mayName } = options;
  const retries = createConfigurationRetries(options.enqueue);

  const handOver = async (next: AdaptorConfiguration): Promise<void> => {
    const before = state.configuration;
    const resolved = { ...next, metadata: resolveVariables(next.metadata, process.env, mayName) };
    // before the handler returns: it may begin to publish by the new configuration
    state.configuration = next;
    try {
      await handlers.configure?.(resolved);
      options.onTakenOver();
    } catch (error) {
      state.configuration = before;
      throw error;
    }
  };

  const takeOver = async (next: AdaptorConfiguration): Promise<void> => {
    if (!isSame(next, state.configuration)) await handOver(next);
    if (state.reported.own !== 'ERROR') return;
    if (state.shallPlay) await work.play();
    else state.reported.enter('PAUSED');
  };

  const takeOverAgain = async (next: AdaptorConfiguration): Promise<void> => {
    if (state.stopping !== undefined) return;
    try {
      await takeOver(next);
      retries.cancel();
      await reports.report().catch(() => undefined);
    } catch (error) {
      const reason = reasonOf(error);
      // the same failure again is not reported again
      if (!state.reported.hasMessage(reason)) await reports.fail(reason).catch(() => undefined);
      retries.plan(error, () => takeOverAgain(next));
    }
  };

  return {
    configure: async (next) => {
      retries.cancel();
      try {
        await takeOver(next);
      } catch (error) {
        retries.plan(error, () => takeOverAgain(next));
        throw error;
      }
    },
    cancel: () => retries.cancel(),
  };
};
