import type { StatusReport } from '@fds/adaptor-protocol';
import type { Adaptor, AdaptorLog } from './adaptor.js';
import type { AdaptorHandlers } from './handlers.js';

export interface AdaptorOptions {
  /** Handlers, or a function that makes them: for handlers that publish. */
  readonly handlers: AdaptorHandlers | ((adaptor: Adaptor) => AdaptorHandlers);
  /** Dotted names to texts, instead of the environment and the properties file. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Names of the adaptor's own properties, which it reads itself with `readProperties`. */
  readonly ownProperties?: readonly string[];
  /** Default: JSON lines on standard output. */
  readonly log?: AdaptorLog;
  /** Directory of the journal where `data.directory` is not set. Default: `./.fds-adaptor/<adaptorUuid>`. */
  readonly defaultDataDirectory?: (adaptorUuid: string) => string;
  /** How the adaptor names itself in its reports. Default: this SDK. */
  readonly sdk?: StatusReport['sdk'];
}
