export type AdaptorState = 'DOWN' | 'DOWN_PAUSED' | 'STARTING' | 'STARTED' | 'PAUSING' | 'PAUSED' | 'ERROR';

/** The order of a caller to an adaptor. */
export type AdaptorCommand = 'PLAY' | 'PAUSE' | 'REFRESH_STATE';

/** The state that an adaptor, or its last will, reports (docs/protocols/adaptor-bus.md#fdsstatusv1-on-upstatus). */
export type AdaptorReport = 'STARTING' | 'STARTED' | 'PAUSED' | 'ERROR' | 'DOWN';

/**
 * The resulting order of the server to the adaptor (docs/protocols/adaptor-bus.md#fdsopsv1-on-downops-fdsopsanswerv1-on-upops).
 */
export type StateOperation = 'START' | 'PLAY' | 'PAUSE' | 'REFRESH_STATE';

export interface Transition {
  readonly state: AdaptorState;
  readonly operation?: StateOperation;
}

/**
 * States after a command. An adaptor that is not connected gets the order when it connects; a running one confirms by a
 * report: until then PAUSING and STARTING remember the order, through a lost connection too. ERROR leaves by
 * a report only.
 */
const afterCommand: Readonly<Record<'PLAY' | 'PAUSE', Readonly<Record<AdaptorState, AdaptorState>>>> = {
  PLAY: {
    DOWN: 'DOWN',
    DOWN_PAUSED: 'DOWN',
    STARTING: 'STARTING',
    STARTED: 'STARTED',
    PAUSING: 'STARTED',
    PAUSED: 'STARTING',
    ERROR: 'ERROR',
  },
  PAUSE: {
    DOWN: 'DOWN_PAUSED',
    DOWN_PAUSED: 'DOWN_PAUSED',
    STARTING: 'PAUSING',
    STARTED: 'PAUSING',
    PAUSING: 'PAUSING',
    PAUSED: 'PAUSED',
    ERROR: 'ERROR',
  },
};

/**
 * States after a report. DOWN_PAUSED remembers that the adaptor must wait: through a lost connection, and from connecting
 * until PAUSED is reported. PAUSING holds until PAUSED is reported.
 */
const afterReport: Readonly<Record<AdaptorReport, Readonly<Record<AdaptorState, AdaptorState>>>> = {
  STARTING: {
    DOWN: 'STARTING',
    DOWN_PAUSED: 'DOWN_PAUSED',
    STARTING: 'STARTING',
    STARTED: 'STARTING',
    PAUSING: 'DOWN_PAUSED',
    PAUSED: 'DOWN_PAUSED',
    ERROR: 'STARTING',
  },
  STARTED: {
    DOWN: 'STARTED',
    DOWN_PAUSED: 'PAUSING',
    STARTING: 'STARTED',
    STARTED: 'STARTED',
    PAUSING: 'PAUSING',
    PAUSED: 'STARTED',
    ERROR: 'STARTED',
  },
  PAUSED: {
    DOWN: 'PAUSED',
    DOWN_PAUSED: 'PAUSED',
    STARTING: 'PAUSED',
    STARTED: 'PAUSED',
    PAUSING: 'PAUSED',
    PAUSED: 'PAUSED',
    ERROR: 'PAUSED',
  },
  ERROR: {
    DOWN: 'ERROR',
    DOWN_PAUSED: 'ERROR',
    STARTING: 'ERROR',
    STARTED: 'ERROR',
    PAUSING: 'ERROR',
    PAUSED: 'ERROR',
    ERROR: 'ERROR',
  },
  DOWN: {
    DOWN: 'DOWN',
    DOWN_PAUSED: 'DOWN_PAUSED',
    STARTING: 'DOWN',
    STARTED: 'DOWN',
    PAUSING: 'DOWN_PAUSED',
    PAUSED: 'DOWN_PAUSED',
    ERROR: 'DOWN',
  },
};

/** The report of an adaptor that the service runs. It has no connection that could be lost. */
export type HostedReport = Exclude<AdaptorReport, 'STARTING'>;

/**
 * States of an adaptor that the service runs, after a report of the process that runs it. The report may be older than a
 * command, so it never undoes one: PAUSED only confirms a pause, and a pause outlives STARTED and ERROR.
 */
export const reportedByHost = (state: AdaptorState, report: HostedReport): AdaptorState => {
  if (report === 'DOWN') return afterReport.DOWN[state];
  const shallWait = state === 'DOWN_PAUSED' || state === 'PAUSING' || state === 'PAUSED';
  if (report === 'PAUSED') return shallWait ? 'PAUSED' : state;
  return shallWait ? state : report;
};

/**
 * The state after a command, for an adaptor that the service runs. The process that runs it follows the state, so
 * commands reach it in ERROR too: PLAY and REFRESH_STATE make it try its receiver again.
 */
export const commandedHosted = (state: AdaptorState, command: AdaptorCommand): AdaptorState => {
  if (command === 'REFRESH_STATE') return state === 'ERROR' ? 'STARTING' : state;
  if (state === 'ERROR') return command === 'PLAY' ? 'STARTING' : 'PAUSING';
  return afterCommand[command][state];
};

/** The state after a command, and the order to send. */
export const commanded = (state: AdaptorState, command: AdaptorCommand): Transition =>
  command === 'REFRESH_STATE'
    ? { state, operation: 'REFRESH_STATE' }
    : { state: afterCommand[command][state], operation: command };

/**
 * The state after a report, and the order to send. A PAUSE that is not confirmed by the next report is sent again: its
 * first sending may have been lost.
 */
export const reported = (state: AdaptorState, report: AdaptorReport): Transition => {
  const next = afterReport[report][state];
  if (report === 'STARTING') return { state: next, operation: 'START' };
  return next === 'PAUSING' ? { state: next, operation: 'PAUSE' } : { state: next };
};

/** Does the state mean that the adaptor is not connected? DOWN_PAUSED says so until PAUSED is reported. */
export const isAway = (state: AdaptorState): boolean => state === 'DOWN' || state === 'DOWN_PAUSED';

/** The content of START: begin at once, or wait for PLAY. */
export const startsPaused = (state: AdaptorState): boolean => state === 'DOWN_PAUSED' || state === 'PAUSING';
