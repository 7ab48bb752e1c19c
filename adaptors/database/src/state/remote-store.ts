import type { StateStore } from './adaptor-state.js';

/** A store on a server. Its failures are the failures of the driver. */
export interface RemoteStore extends StateStore {
  /** Does the server answer, and does it accept the user? Changes nothing. */
  ping(): Promise<void>;
  /** Creates missing tables, collections and indexes. Several processes may call it at once. */
  prepare(): Promise<void>;
}
