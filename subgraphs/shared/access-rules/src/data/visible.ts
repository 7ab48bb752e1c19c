import type { JsonObject } from '@fds/json';

/** The properties that an action is allowed on, of one record as one holder has it. */
export interface Visible {
  /** NONE: the record is hidden. */
  readonly extent: 'ALL' | 'SOME' | 'NONE';
  /** In the spelling of the model. */
  readonly names: ReadonlySet<string>;
}

const nothing: Visible = { extent: 'NONE', names: new Set() };

/** No data of a record. */
export const visibleNothing = (): Visible => nothing;

export const toVisible = (names: ReadonlySet<string>, properties: number): Visible =>
  names.size === 0 ? nothing : { extent: names.size === properties ? 'ALL' : 'SOME', names };

/** The members of a record, or of its DR Key, that may be seen. */
export const maskMembers = (json: JsonObject, { extent, names }: Visible): JsonObject =>
  extent === 'ALL' ? json : Object.fromEntries(Object.entries(json).filter(([name]) => names.has(name)));
