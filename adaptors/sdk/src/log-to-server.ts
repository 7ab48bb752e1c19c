import type { LogEntry } from '@fds/adaptor-protocol';
import type { AdaptorLog } from './adaptor.js';

/** Warnings and errors reach the server's central log too: the sentence alone, for details may hold data. */
export const logToServer = (log: AdaptorLog, send: (entry: LogEntry) => void): AdaptorLog => ({
  error: (detail, message) => {
    log.error(detail, message);
    send({ level: 'ERROR', message });
  },
  warn: (detail, message) => {
    log.warn(detail, message);
    send({ level: 'WARN', message });
  },
  info: (detail, message) => log.info(detail, message),
  debug: (detail, message) => log.debug(detail, message),
});
