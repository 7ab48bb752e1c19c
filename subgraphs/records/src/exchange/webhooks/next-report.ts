import type { WebhookCondition } from '../domain/webhooks/receiver-state.js';
import type { HostedState } from './webhook-ports.js';

/** A webhook adaptor at one moment, as the process that runs it sees it. */
export interface HostedMoment {
  readonly active: boolean;
  /** The state that the catalog shows. */
  readonly state: string;
  readonly condition: WebhookCondition;
  /** The reason why the metadata cannot be used; undefined when it can. */
  readonly fault: string | undefined;
  readonly isIdle: boolean;
}

/** The report that follows, and whether the outlet tries again at once. */
export interface NextReport {
  readonly state: HostedState;
  readonly message?: string;
  readonly retries?: true;
}

const running = ({ fault, condition }: HostedMoment): NextReport => {
  if (fault !== undefined) return { state: 'ERROR', message: fault };
  return condition.kind === 'WELL' ? { state: 'STARTED' } : { state: 'ERROR', message: condition.message };
};

/**
 * Follows the state of the catalog: DOWN and STARTING mean that the adaptor must run, PAUSING and DOWN_PAUSED that it must
 * wait; a report answers. Undefined: nothing is to be reported.
 */
export const nextReport = (moment: HostedMoment): NextReport | undefined => {
  const { active, state, fault, isIdle } = moment;
  if (!active) return state === 'DOWN' || state === 'DOWN_PAUSED' ? undefined : { state: 'DOWN' };
  if (state === 'PAUSING' || state === 'DOWN_PAUSED') return isIdle ? { state: 'PAUSED' } : undefined;
  if (state === 'DOWN' || state === 'STARTING') {
    return fault === undefined ? { state: 'STARTED', retries: true } : { state: 'ERROR', message: fault };
  }
  if (state === 'PAUSED') return undefined;
  const report = running(moment);
  return state === 'STARTED' && report.state === 'STARTED' ? undefined : report;
};
