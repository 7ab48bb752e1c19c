/** Actions that a registration can name. */
export const eventActions = ['POST', 'PUT', 'PATCH', 'DELETE', 'ALL'] as const;

export type EventAction = (typeof eventActions)[number];

/** Changes that a receiver asks for. */
export interface EventEntry {
  /**
   * Path with wildcards, with or without `/api`. `?` is any child but not its children; `*` at the end is any child and
   * everything below it.
   */
  readonly resource: string;
  readonly actions: readonly EventAction[];
}
