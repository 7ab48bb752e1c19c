import type { AdaptorState, StatusReport } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import { shortened } from '../shortened.js';

/** The state of an adaptor as it reports it to the server. */
export class ReportedState {
  #current: AdaptorState = 'STARTING';
  #message: string | undefined;
  readonly #log: AdaptorLog;

  constructor(log: AdaptorLog) {
    this.#log = log;
  }

  get current(): AdaptorState {
    return this.#current;
  }

  enter(next: AdaptorState, message?: string): void {
    this.#current = next;
    this.#message = message === undefined ? undefined : shortened(message);
    this.#log.info({ state: this.#current, stateMessage: this.#message }, 'adaptor state');
  }

  /** Whether the current state has this message. */
  hasMessage(message: string): boolean {
    return shortened(message) === this.#message;
  }

  report(sdk: StatusReport['sdk']): StatusReport {
    return { state: this.#current, sdk, ...(this.#message === undefined ? {} : { stateMessage: this.#message }) };
  }
}
