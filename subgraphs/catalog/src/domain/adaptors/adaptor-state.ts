export type AdaptorState = 'DOWN' | 'DOWN_PAUSED' | 'STARTING' | 'STARTED' | 'PAUSING' | 'PAUSED' | 'ERROR';

/** The command of a caller for an adaptor. */
export type AdaptorCommand = 'PLAY' | 'PAUSE' | 'REFRESH_STATE';

/** The state that an adaptor, or its last will, reports (docs/protocols/adaptor-bus.md#fdsstatusv1-on-upstatus). */
export type AdaptorReport = 'STARTING' | 'STARTED' | 'PAUSED' | 'ERROR' | 'DOWN';

/**
 * The order that the server then sends to the adaptor
 * (docs/protocols/adaptor-bus.md#fdsopsv1-on-downops-fdsopsanswerv1-on-upops).
 */
export type StateOperation = 'START' | 'PLAY' | 'PAUSE' | 'REFRESH_STATE';

export interface Transition {
  readonly state: AdaptorState;
  readonly operation?: StateOperation;
}

/**
 * The state after a command. An adaptor that is not connected gets the order when it connects. A running adaptor
 * confirms the order with a report; until then the states PAUSING and STARTING store the order, also when the
 * connection is lost. Only a report ends ERROR.
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
 * The state after a report. DOWN_PAUSED means that the adaptor must wait. It is kept when the connection is lost, and
 * from connecting until PAUSED is reported. PAUSING lasts until PAUSED is reported.
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

/** A report of an adaptor that the service runs. Such an adaptor has no connection that could be lost. */
export type HostedReport = Exclude<AdaptorReport, 'STARTING'>;

/**
 * The state of an adaptor that the service runs, after a report of the process that runs it. The report may be older
 * than a command, so it never reverses one: PAUSED only confirms a pause, and STARTED and ERROR do not end a pause.
 */
export const reportedByHost = (state: AdaptorState, report: HostedReport): AdaptorState => {
  if (report === 'DOWN') return afterReport.DOWN[state];
  const shallWait = state === 'DOWN_PAUSED' || state === 'PAUSING' || state === 'PAUSED';
  if (report === 'PAUSED') return shallWait ? 'PAUSED' : state;
  return shallWait ? state : report;
};

/**
 * The state after a command, for an adaptor that the service runs. The process that runs it follows the state, so
 * commands also take effect in ERROR: PLAY and REFRESH_STATE make it try its receiver again.
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
 * The state after a report, and the order to send. A PAUSE that the next report does not confirm is sent again, because
 * the first one may have been lost.
 */
export const reported = (state: AdaptorState, report: AdaptorReport): Transition => {
  const next = afterReport[report][state];
  if (report === 'STARTING') return { state: next, operation: 'START' };
  return next === 'PAUSING' ? { state: next, operation: 'PAUSE' } : { state: next };
};

/** Does the state mean that the adaptor is not connected? DOWN_PAUSED means this until PAUSED is reported. */
export const isAway = (state: AdaptorState): boolean => state === 'DOWN' || state === 'DOWN_PAUSED';

/** Should START tell the adaptor to wait for PLAY instead of starting at once? */
export const startsPaused = (state: AdaptorState): boolean => state === 'DOWN_PAUSED' || state === 'PAUSING';
