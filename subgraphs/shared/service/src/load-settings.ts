import { z } from 'zod';
import { Secret } from './secret.js';

/** One setting of a process: its environment variable, shape, default and its description on the generated page. */
export interface Setting<T> {
  readonly variable: string;
  readonly description: string;
  /** Shown on the page; undefined = none. */
  readonly default?: string | undefined;
  /** Parses the text of the variable; undefined when it is unset or blank. */
  readonly schema: z.ZodType<T, string | undefined>;
}

const setting = <T>(
  variable: string,
  description: string,
  schema: z.ZodType<T, string | undefined>,
  standard?: string,
): Setting<T> => ({
  variable,
  description,
  schema,
  default: standard,
});

/** Texts that a setting accepts. */
export interface TextRule {
  readonly allows: (text: string) => boolean;
  /** The fault of another text, for example `must have 8 to 1024 characters`. It must not repeat the text. */
  readonly message: string;
}

const anyText: TextRule = { allows: () => true, message: '' };

/** Addresses of some protocols. */
export interface AddressKind {
  readonly allows: (text: string) => boolean;
  /** How they look, with an example. */
  readonly form: string;
}

/** @param protocols as in `http:` */
export const addressKind = (protocols: readonly string[], form: string): AddressKind => ({
  allows: (text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, host } = new URL(text);
    return host !== '' && protocols.includes(protocol);
  },
  form,
});

const webAddress = addressKind(['http:', 'https:'], 'an address such as https://fds.example.org');

const inRange = ({ min, max }: { min: number; max: number }): string => `must be from ${min} to ${max}`;

const text = z.string();

const partsOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Kinds of settings. Defaults are written as the text that would stand in the environment. */
export const settings = {
  text: (variable: string, description: string, standard: string): Setting<string> =>
    setting(variable, description, text.default(standard), standard),
  optionalText: (variable: string, description: string): Setting<string | undefined> =>
    setting(variable, description, text.optional()),
  /** @param rule the rule for its text; default: any text */
  secret: (variable: string, description: string, rule: TextRule = anyText): Setting<Secret | undefined> =>
    setting(
      variable,
      description,
      text
        .refine(rule.allows, rule.message)
        .optional()
        .transform((value) => (value === undefined ? undefined : new Secret(value))),
    ),
  choice: <Item extends string>(
    variable: string,
    description: string,
    items: readonly Item[],
    standard: Item,
  ): Setting<Item> =>
    setting(
      variable,
      description,
      z.enum(items as [Item, ...Item[]], `must be one of ${items.join(', ')}`).default(standard),
      standard,
    ),
  integer: (
    variable: string,
    description: string,
    standard: number,
    range: { min: number; max: number },
  ): Setting<number> =>
    setting(
      variable,
      description,
      text
        .regex(/^-?\d+$/, 'must be an integer')
        .default(String(standard))
        .transform(Number)
        .pipe(z.number().int().min(range.min, inRange(range)).max(range.max, inRange(range))),
      String(standard),
    ),
  /** Integers in their order, separated by commas. */
  integers: (
    variable: string,
    description: string,
    standard: readonly number[],
    range: { min: number; max: number; maxItems: number },
  ): Setting<readonly number[]> =>
    setting(
      variable,
      description,
      text
        .regex(/^\s*\d+(\s*,\s*\d+)*\s*$/, 'must be integers, separated by commas')
        .default(standard.join(','))
        .transform((value) => partsOf(value).map(Number))
        .pipe(z.array(z.number().int().min(range.min).max(range.max)).max(range.maxItems)),
      standard.join(','),
    ),
  boolean: (variable: string, description: string, standard: boolean): Setting<boolean> =>
    setting(
      variable,
      description,
      z
        .enum(['true', 'false'], 'must be true or false')
        .default(standard ? 'true' : 'false')
        .transform((value) => value === 'true'),
      String(standard),
    ),
  list: <Item extends string>(
    variable: string,
    description: string,
    items: readonly Item[],
    standard: readonly Item[],
  ): Setting<readonly Item[]> =>
    setting(
      variable,
      description,
      text
        .default(standard.join(','))
        .transform(partsOf)
        .pipe(z.array(z.enum(items as [Item, ...Item[]], `may contain ${items.join(', ')} only`))),
      standard.join(','),
    ),
  /** Web addresses, separated by commas. */
  urls: (variable: string, description: string): Setting<readonly string[]> =>
    setting(
      variable,
      description,
      text
        .default('')
        .transform(partsOf)
        .refine((items) => items.every(webAddress.allows), `must be ${webAddress.form}, separated by commas`),
    ),
  /** @param rule the rule for each of them */
  texts: (variable: string, description: string, rule: TextRule): Setting<readonly string[]> =>
    setting(
      variable,
      description,
      text
        .default('')
        .transform(partsOf)
        .refine((items) => items.every(rule.allows), rule.message),
    ),
  /** @param kind the addresses that it accepts; default: web addresses */
  url: (variable: string, description: string, kind: AddressKind = webAddress): Setting<string | undefined> =>
    setting(variable, description, text.trim().refine(kind.allows, `must be ${kind.form}`).optional()),
};

type Values<Settings extends Record<string, Setting<unknown>>> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** All faults of the environment at once. Names variables, never values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly faults: readonly string[]) {
    super(`settings are not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/**
 * Reads the settings of a process from its environment, once. A blank variable counts as unset.
 *
 * @throws SettingsError with every fault, by variable
 */
export const loadSettings = <Settings extends Record<string, Setting<unknown>>>(
  declared: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Values<Settings> => {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { variable, schema }] of Object.entries(declared)) {
    const given = environment[variable];
    const result = schema.safeParse(given === undefined || given.trim() === '' ? undefined : given);
    if (result.success) values[name] = result.data;
    else faults.push(...result.error.issues.map((issue) => `${variable}: ${issue.message}`));
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return values as Values<Settings>;
};
