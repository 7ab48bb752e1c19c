import { closest, distance } from 'fastest-levenshtein';
import type { Setting } from './load-settings.js';

/** A variable that looks like a setting and is none. */
export interface UnknownSetting {
  readonly variable: string;
  /** The most similar setting; undefined when none is similar. */
  readonly nearest: string | undefined;
}

/**
 * Finds variables with the prefix that no setting declares. They are not faults: container platforms set such variables for
 * a service of the same name.
 *
 * @param prefix for example `FDS_`
 */
export const findUnknownSettings = (
  declared: Readonly<Record<string, Setting<unknown>>>,
  environment: Readonly<Record<string, string | undefined>>,
  prefix: string,
): UnknownSetting[] => {
  const known = Object.values(declared).map(({ variable }) => variable);
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(prefix) && !known.includes(variable))
    .map((variable) => {
      const nearest = closest(variable, known);
      const mostEdits = (variable.length - prefix.length) / 2;
      return { variable, nearest: distance(variable, nearest) <= mostEdits ? nearest : undefined };
    });
};
