import type { QueryDeclaration } from '../route.js';

const namesIn = (prefix: string, names: Readonly<Record<string, string>> = {}): (readonly [string, string])[] =>
  Object.entries(names).map(([name, variable]) => [variable, `${prefix}${name}`] as const);

/** The caller's name for each variable. Operations report faults of their input by the variable. */
export const namesOfParameters = ({ filters, options, parameters }: QueryDeclaration): ReadonlyMap<string, string> =>
  new Map([...namesIn('', parameters), ...namesIn('options.', options), ...namesIn('filters.', filters)]);
