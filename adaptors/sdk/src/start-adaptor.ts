import type { Adaptor, AdaptorLog, RunningAdaptor } from './adaptor.js';
import type { AdaptorHandlers } from './handlers.js';
export interface AdaptorOptions {
  /** Handlers, or a function that makes them: for handlers that publish. */
  readonly handlers: AdaptorHandlers | ((adaptor: Adaptor) => AdaptorHandlers);
  /** Dotted names to texts, instead of the environment and the properties file. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Default: JSON lines on standard output. */
  readonly log?: AdaptorLog;
}
export declare const startAdaptor: (options: AdaptorOptions) => Promise<RunningAdaptor>;
