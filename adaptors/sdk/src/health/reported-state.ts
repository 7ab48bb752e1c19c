import type { AdaptorState, StatusReport } from '@fds/adaptor-protocol';
import type { AdaptorLog, SourceFault } from '../adaptor.js';
import { shortened } from '../shortened.js';

/** Longest reason of one source, and the number of reasons that are named, in the text about all sources. */
const [maxReasonLength, maxReasons] = [500, 5];

const cut = (reason: string): string =>
  reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)} ...` : reason;

/** The state of an adaptor as it reports it to the server. */
export class ReportedState {
  #own: AdaptorState = 'STARTING';
  #message: string | undefined;
  readonly #faults = new Map<string, SourceFault>();
  readonly #log: AdaptorLog;

  constructor(log: AdaptorLog) {
    this.#log = log;
  }

  /** The state that the adaptor has apart from its sources. */
  get own(): AdaptorState {
    return this.#own;
  }

  /** The state that is reported: ERROR while a source lets no event flow. */
  get current(): AdaptorState {
    const isStopped = [...this.#faults.values()].some(({ state }) => state === 'ERROR');
    return this.#own === 'STARTED' && isStopped ? 'ERROR' : this.#own;
  }

  /** The reasons of the faulty sources as one text, those that stop the adaptor first; undefined when all sources work. */
  get reason(): string | undefined {
    const faults = [...this.#faults.values()];
    const inOrder = [...faults.filter(({ state }) => state === 'ERROR'), ...faults.filter(({ state }) => !state)];
    const reasons = [...new Set(inOrder.map(({ reason }) => cut(reason)))];
    if (reasons.length === 0) return undefined;
    const further = reasons.length - maxReasons;
    return [...reasons.slice(0, maxReasons), ...(further > 0 ? [`and ${further} more`] : [])].join('; ');
  }

  enter(next: AdaptorState, message?: string): void {
    this.#own = next;
    this.#message = message === undefined ? undefined : shortened(message);
    this.#log.info({ state: this.#own, stateMessage: this.#message }, 'adaptor state');
  }

  /**
   * Notes a fault of a source, or with undefined that it has none now: the source works, or is not used any longer.
   *
   * @returns whether that is news
   */
  setFault(source: string, fault: SourceFault | undefined): boolean {
    const before = this.#faults.get(source);
    if (before?.reason === fault?.reason && before?.state === fault?.state) return false;
    if (fault === undefined) {
      this.#faults.delete(source);
      this.#log.info({ source }, 'a fault of a source is no longer reported');
    } else {
      this.#faults.set(source, fault);
      this.#log.warn({ source, reason: fault.reason, state: fault.state }, 'a source cannot be used as configured');
    }
    return true;
  }

  /** Whether the current state has this message. */
  hasMessage(message: string): boolean {
    return shortened(message) === this.#message;
  }

  report(sdk: StatusReport['sdk']): StatusReport {
    const stateMessage = this.#message ?? this.reason;
    return { state: this.current, sdk, ...(stateMessage === undefined ? {} : { stateMessage }) };
  }
}
