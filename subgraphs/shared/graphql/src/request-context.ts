import type { Principal } from '@fds/auth';

/** What every resolver may know of the request. One object per operation: loaders hang on it by WeakMap. */
export interface RequestContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** The Authorization header as it came, for parts in other processes: they verify it again. */
  readonly authorization?: string | undefined;
  /** Aborted when the caller goes away. */
  readonly signal?: AbortSignal;
}
