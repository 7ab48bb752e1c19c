import type { GrantedAction } from './action.js';

/**
 * A permission as it is granted: `action` on `resource`, a path with or without the `/api` prefix.
 * `?` is exactly one segment; `*` at the end is everything below and the path itself, in the middle one or more
 * segments (docs/reference/access.md#permissions).
 */
export interface Grant {
  readonly action: GrantedAction;
  readonly resource: string;
}
