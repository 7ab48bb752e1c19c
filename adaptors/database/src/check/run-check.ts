import { setTimeout as wait } from 'node:timers/promises';
import { startAdaptor, type AdaptorLog } from '@fds/adaptor-sdk';
import { checkConfiguration } from './check-configuration.js';

/** The result of a check, with the exit code of the process. */
export interface CheckResult {
  readonly code: 0 | 2 | 3;
  readonly text: string;
}

/** A running server answers STARTING within seconds. */
const answerTimeoutMs = 30_000;

const nothing = (): void => undefined;

/**
 * Gets the configuration from the server in the same way as a start, and checks it. Accepts no event. The process ends
 * afterwards: it does not answer further operations.
 *
 * @throws Error when the adaptor cannot start
 */
export const runCheck = async (): Promise<CheckResult> => {
  let finish: (result: CheckResult) => void = nothing;
  const finished = new Promise<CheckResult>((resolve) => {
    finish = resolve;
  });
  // the SDK detects a variable that is not set before it calls the handler
  const log: AdaptorLog = {
    debug: nothing,
    info: (details) => {
      const { state, stateMessage } = details as { readonly state?: unknown; readonly stateMessage?: unknown };
      if (state === 'ERROR') finish({ code: 2, text: String(stateMessage) });
    },
    warn: nothing,
    error: nothing,
  };
  await startAdaptor({
    log,
    handlers: {
      configure: async (configuration) => {
        try {
          const tables = await checkConfiguration(configuration);
          finish({ code: 0, text: `the configuration is valid: ${tables.join(', ')}` });
        } catch (error) {
          finish({ code: 2, text: error instanceof Error ? error.message : String(error) });
        }
        // never settles, so that no state is reported and no event is accepted
        await new Promise(nothing);
      },
    },
  });
  const late = wait(answerTimeoutMs, undefined, { ref: false }).then((): CheckResult => ({
    code: 3,
    text: `the server did not send the configuration within ${answerTimeoutMs / 1000} seconds: is it running, and is the message bus reachable?`,
  }));
  return Promise.race([finished, late]);
};
