import { pino } from 'pino';
import type { AdaptorLog } from './adaptor.js';
import type { AdaptorProperties } from './properties/adaptor-properties.js';

/** The logs of an adaptor process. */
export interface Logs {
  /** The adaptor's own messages, from LOG_LEVEL. */
  readonly own: AdaptorLog;
  /** Those of the message bus connections below it, from ROOT_LOG_LEVEL. */
  readonly root: AdaptorLog;
}

/** JSON lines, on standard output unless a stream is given. */
export const openLogs = (
  { adaptorUuid, logLevel, rootLogLevel }: Pick<AdaptorProperties, 'adaptorUuid' | 'logLevel' | 'rootLogLevel'>,
  stream?: { write(line: string): void },
): Logs => {
  const options = { level: 'trace', base: { adaptorUuid } };
  const log = stream === undefined ? pino(options) : pino(options, stream);
  return {
    own: log.child({}, { level: logLevel.toLowerCase() }),
    root: log.child({}, { level: rootLogLevel.toLowerCase() }),
  };
};
