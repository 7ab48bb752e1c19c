import { type JsonObject, type JsonValue, stringifyJson } from '@fds/adaptor-protocol';

/** The values of a template, and the names of the properties in an event. */
export interface TemplateNames {
  readonly id: string;
  readonly folder: string;
  readonly property: string;
  readonly nullable: string;
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson([value]).slice(1, -1));

/**
 * Makes the record of an event from a template. Members of `more` other than the two properties are added unchanged.
 *
 * @param more values of the event's properties; if a value is absent or null, the members that name it are absent or
 * null too
 */
export const fillTemplate = (template: JsonObject, names: TemplateNames, more: JsonObject): JsonObject => {
  const { id, folder, property, nullable } = names;
  const { [property]: ofProperty, [nullable]: ofNullable, ...others } = more;
  const given: Readonly<Record<string, JsonValue | undefined>> = {
    '${ID}': id,
    '${FOLDER}': folder,
    '${PROPERTY}': ofProperty,
    '${NULLABLE}': ofNullable,
  };
  const fill = (value: JsonValue | undefined): JsonValue | undefined => {
    if (Array.isArray(value)) return value.map((item: JsonValue) => fill(item) ?? null);
    if (typeof value === 'object' && value !== null) return fillObject(value as JsonObject);
    if (typeof value !== 'string') return value;
    const named = Object.keys(given).filter((name) => value.includes(name));
    const values = named.map((name) => given[name]);
    if (values.includes(undefined)) return undefined;
    if (values.includes(null)) return null;
    return named.reduce((text, name) => text.replaceAll(name, () => textOf(given[name] ?? null)), value);
  };
  const fillObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, member]) => {
        const filled = fill(member);
        return filled === undefined ? [] : [[name, filled] as const];
      }),
    );
  return { ...fillObject(template), ...others };
};
