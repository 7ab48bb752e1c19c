import type { StateStore } from './adaptor-state.js';

/** A store on a server, as its driver gives it. Failures are those of the driver. */
export interface RemoteStore extends StateStore {
  /** Does the server answer, and does it accept the user? Changes nothing. */
  ping(): Promise<void>;
  /** Makes tables, collections and indexes that are missing. Several processes may call it at once. */
  prepare(): Promise<void>;
}
