import type { DataAction } from './access-rule.js';
import type { DataAccess } from './compile-data-access.js';
import type { DataHolder, DataVersion } from './data-version.js';

/** One of every kind of data that two sets of rules can tell apart, besides their records. */
export interface DataKinds {
  readonly versions: readonly DataVersion[];
  readonly holders: readonly DataHolder[];
}

const actions: readonly DataAction[] = ['GET', 'POST', 'PUT', 'DELETE'];
/** A record that no rule names. */
const anyRecord = '';

/** Do rules allow anything that others do not? The evaluator itself decides, for every kind of data. */
export const allowsMore = (wanted: DataAccess, granted: DataAccess, { versions, holders }: DataKinds): boolean =>
  actions.some((action) =>
    versions.some((version) => {
      const [of, than] = [wanted.of(action, version), granted.of(action, version)];
      return [null, ...holders].some((holder) => {
        const [more, less] = [of.at(holder), than.at(holder)];
        return [anyRecord, ...more.named, ...less.named].some((record) => {
          const allowed = less.of(record).names;
          return [...more.of(record).names].some((name) => !allowed.has(name));
        });
      });
    }),
  );
