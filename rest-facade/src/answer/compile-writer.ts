import { isJsonObject, parseJson, stringifyJson, type JsonValue } from '@fds/json';
import type { LeafShape, Member, ObjectShape, Shape } from './answer-shape.js';
import type { Projection } from './projection.js';

/** Writes a value of a GraphQL answer as the JSON text of the REST answer. */
export type Writer = (value: unknown) => string;

const everything: Projection = new Map();

const projectJson = (value: JsonValue, projection: Projection): JsonValue => {
  if (Array.isArray(value)) return value.map((item) => projectJson(item as JsonValue, projection));
  if (projection.size === 0 || !isJsonObject(value)) return value;
  const members = [...projection].flatMap(([name, below]) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    return member === undefined ? [] : [[name, projectJson(member, below)] as const];
  });
  return Object.fromEntries(members);
};

const leafWriter = ({ format }: LeafShape, projection: Projection): Writer => {
  switch (format) {
    case 'int32':
    case 'int64':
    case 'number':
    case 'boolean':
      return String;
    case 'dateTime':
      return (value) => String(Date.parse(value as string));
    case 'json':
      // the gateway sends JSON-encoded text, which is written unchanged
      if (projection.size === 0) return (value) => value as string;
      return (value) => stringifyJson(projectJson(parseJson(value as string), projection));
    default:
      return (value) => JSON.stringify(value);
  }
};

interface MemberWriter {
  readonly key: string;
  readonly within: string | undefined;
  readonly onlyIf: Member['onlyIf'];
  readonly prefix: string;
  /** A separate member that is written only if it is requested and has a value. */
  readonly isExtra: boolean;
  readonly write: Writer;
}

const memberWriter = ({ name, within, onlyIf, shape, always }: Member, projection: Projection): MemberWriter => ({
  key: name,
  within,
  onlyIf,
  prefix: `${JSON.stringify(name)}:`,
  isExtra: !always && within === undefined && onlyIf === undefined,
  write: compileWriter(shape, projection.get(name) ?? everything),
});

type Holder = Readonly<Record<string, unknown>>;

const objectWriter = ({ members }: ObjectShape, projection: Projection): Writer => {
  const writers = members
    .filter(({ name }) => projection.size === 0 || projection.has(name))
    .map((member) => memberWriter(member, projection));
  return (value) => {
    const object = value as Holder;
    let text = '';
    for (const { key, within, onlyIf, prefix, isExtra, write } of writers) {
      if (onlyIf !== undefined && object[onlyIf.member] !== onlyIf.is) continue;
      const holder = within === undefined ? object : (object[within] as Holder | null | undefined);
      const member = holder?.[key];
      if (member === undefined || (isExtra && member === null)) continue;
      text += text === '' ? prefix : `,${prefix}`;
      text += write(member);
    }
    return `{${text}}`;
  };
};

const presentWriter = (shape: Shape, projection: Projection): Writer => {
  if (shape.kind === 'leaf') return leafWriter(shape, projection);
  if (shape.kind === 'object') return objectWriter(shape, projection);
  if (shape.kind === 'list') {
    const write = compileWriter(shape.element, projection);
    return (value) => `[${(value as readonly unknown[]).map(write).join(',')}]`;
  }
  const write = compileWriter(shape.inner, projection);
  return (value) => write((value as Holder)[shape.key]);
};

/**
 * Compiles the writer of a shape, once per route and projection. DateTime becomes epoch milliseconds, Json is written
 * natively, and nulls stay. A member under a directive is left out when the directive excludes it or its value is null.
 *
 * @param projection members to keep; default all
 */
export const compileWriter = (shape: Shape, projection: Projection = everything): Writer => {
  const write = presentWriter(shape, projection);
  return (value) => (value === null ? 'null' : write(value));
};
