import { properties } from './world.js';

/** A part of a model schema. */
interface Schema {
  readonly type: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Requested paths below a value, in lower case. An empty path requests all of it. */
export type Paths = readonly (readonly string[])[];

/** Marks a value whose type differs from the model. */
export const unfit = Symbol('unfit');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member with the exact name, otherwise the first one in another case. */
const memberOf = (value: Record<string, unknown>, name: string): unknown => {
  const keys = Object.keys(value);
  const key = keys.includes(name) ? name : keys.find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : value[key];
};

const below = (paths: Paths, name: string): Paths =>
  paths.some((path) => path.length === 0)
    ? [[]]
    : paths.filter(([first]) => first === name.toLowerCase()).map(([, ...rest]) => rest);

const fitMembers = (schema: Schema, value: unknown, paths: Paths): unknown => {
  if (!isObject(value)) return unfit;
  const members: [string, unknown][] = [];
  for (const [name, nested] of Object.entries(schema.properties ?? {})) {
    const wanted = below(paths, name);
    const member = memberOf(value, name);
    if (wanted.length === 0 || member === undefined) continue;
    const fitted = fit(nested, member, wanted);
    if (fitted === unfit) return unfit;
    members.push([name, fitted]);
  }
  return Object.fromEntries(members);
};

const fit = (schema: Schema, value: unknown, paths: Paths): unknown => {
  if (value === null) return null;
  if (schema.type === 'string') return typeof value === 'string' ? value : unfit;
  if (schema.type === 'boolean') return typeof value === 'boolean' ? value : unfit;
  if (schema.type === 'number') return typeof value === 'number' ? value : unfit;
  if (schema.type === 'integer') return Number.isInteger(value) ? value : unfit;
  if (schema.type === 'object') return fitMembers(schema, value, paths);
  if (!Array.isArray(value)) return unfit;
  const items = value.map((item) => fitMembers(schema.items ?? schema, item, paths));
  return items.includes(unfit) ? unfit : items;
};

/** The requested parts of a property; undefined when it was not sent. */
export const fitProperty = (data: Record<string, unknown>, name: string, paths: Paths): unknown => {
  const sent = memberOf(data, name);
  return sent === undefined ? undefined : fit((properties as Record<string, Schema>)[name] as Schema, sent, paths);
};
