import pg from 'pg';
import type { Moment } from './crash-points.js';

type Callback = (error: unknown, ...answer: unknown[]) => void;
type Query = (this: pg.Client, ...asked: unknown[]) => unknown;

const nameOf = ([first]: readonly unknown[]): string => {
  if (typeof first === 'string') return first;
  if (typeof first !== 'object' || first === null) return '';
  if ('name' in first && typeof first.name === 'string') return first.name;
  return 'text' in first ? String(first.text) : '';
};

/** Sends a statement, and calls `pass` when it has succeeded, before the process receives the result. */
const answered = (client: pg.Client, query: Query, asked: readonly unknown[], pass: () => void): unknown => {
  const last = asked.at(-1);
  if (typeof last === 'function') {
    const callback: Callback = (error, ...answer) => {
      if (error === null || error === undefined) pass();
      (last as Callback)(error, ...answer);
    };
    return query.apply(client, [...asked.slice(0, -1), callback]);
  }
  const answer = query.apply(client, [...asked]);
  return answer instanceof Promise
    ? answer.then((result: unknown) => {
        pass();
        return result;
      })
    : answer;
};

/**
 * Calls `pass` for each transaction with a statement of that name at its COMMIT, or for each statement of that name.
 */
export const watchDatabase = (
  moment: Extract<Moment, { readonly at: 'TRANSACTION' | 'STATEMENT' }>,
  pass: () => void,
): void => {
  const said = new WeakMap<pg.Client, Set<string>>();
  const isTheMoment = (client: pg.Client, name: string): boolean => {
    if (moment.at === 'STATEMENT') return name === moment.named;
    const names = said.get(client) ?? new Set();
    said.set(client, names);
    if (name === 'BEGIN') names.clear();
    names.add(name);
    return name === 'COMMIT' && names.has(moment.containing);
  };
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function (...asked) {
    if (!isTheMoment(this, nameOf(asked))) return query.apply(this, asked);
    if (moment.when === 'AFTER') return answered(this, query, asked, pass);
    pass();
    return query.apply(this, asked);
  };
};
