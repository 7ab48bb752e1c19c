import type { LogEntry } from '@fds/adaptor-protocol';
import type { AdaptorLog } from './adaptor.js';

/**
 * A log whose warnings and errors are also sent to the server's central log. Only the message is sent, because details
 * may contain data.
 */
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
