import { pino } from 'pino';
import type { AdaptorLog } from './adaptor.js';
import type { AdaptorProperties } from './properties/adaptor-properties.js';

/** The logs of an adaptor process. */
export interface Logs {
  /** The adaptor's own messages, with LOG_LEVEL. */
  readonly own: AdaptorLog;
  /** Messages of the message bus connections, with ROOT_LOG_LEVEL. */
  readonly root: AdaptorLog;
}

/** Logs of JSON lines. Default: standard output. */
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
