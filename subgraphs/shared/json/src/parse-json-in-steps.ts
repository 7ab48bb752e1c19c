import type { JsonObject, JsonValue } from './json-value.js';
import { afterString, maxDepth } from './nests-deeper.js';
import { parseJson } from './parse-json.js';

/** A piece of this length takes some milliseconds, regardless of its content. */
const pieceLength = 32 * 1024;

/** Every reader of an object with more members takes long: no model and no resource has so many. */
const maxMembers = 10_000;

/** An object or array that is too long for one piece, while its members are read. */
interface OpenContainer {
  readonly value: Record<string, JsonValue> | JsonValue[];
  /** Names of the members that were read. */
  readonly names: Set<string>;
  /** Where the text begins that is not read yet. */
  from: number;
  /** NONE: no member yet. COMMA: a member must follow. MEMBER: a comma or the end must follow. */
  before: 'NONE' | 'COMMA' | 'MEMBER';
}

const failAt = (position: number): SyntaxError => new SyntaxError(`Unexpected JSON at position ${position}`);

const isBlank = (text: string, from: number, to: number): boolean => /^[ \t\n\r]*$/.test(text.slice(from, to));

/** Parses a piece within added brackets. @throws SyntaxError with the position in the whole text */
const parsePiece = (open: string, piece: string, close: string, from: number): JsonValue => {
  try {
    return parseJson(`${open}${piece}${close}`);
  } catch (error) {
    const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    throw position === undefined ? error : failAt(from + Number(position) - open.length);
  }
};

const setMember = ({ value: object, names }: OpenContainer, name: string, value: JsonValue): void => {
  names.add(name);
  if (names.size > maxMembers) throw new SyntaxError(`an object has more than ${maxMembers} members`);
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else (object as Record<string, JsonValue>)[name] = value;
};

/** Takes over the members between the text that was read and a position. */
const takeMembers = (text: string, container: OpenContainer, to: number): void => {
  const { value, from } = container;
  if (isBlank(text, from, to)) throw failAt(to);
  if (Array.isArray(value)) {
    for (const item of parsePiece('[', text.slice(from, to), ']', from) as JsonValue[]) value.push(item);
  } else {
    const members = parsePiece('{', text.slice(from, to), '}', from) as JsonObject;
    for (const name of Object.keys(members)) setMember(container, name, members[name] as JsonValue);
  }
  container.before = 'MEMBER';
};

/** Adds a container to the one that it is in. The text between the member's start and its bracket is its name, if any. */
const addContainer = (text: string, parent: OpenContainer, start: number, bracket: number): OpenContainer => {
  const value: OpenContainer['value'] = text[bracket] === '[' ? [] : {};
  if (Array.isArray(parent.value)) {
    if (!isBlank(text, start, bracket)) throw failAt(start);
    parent.value.push(value);
  } else {
    const [name] = Object.keys(parsePiece('{', `${text.slice(start, bracket)}0`, '}', start) as JsonObject);
    if (name === undefined) throw failAt(start);
    setMember(parent, name, value);
  }
  return { value, names: new Set(), from: bracket + 1, before: 'NONE' };
};

/**
 * `parseJson` in steps of some milliseconds each, so that the caller can let other work run in between. A text of up to 64 Ki characters
 * takes one step.
 *
 * @throws SyntaxError as `parseJson` does, and for an object of more than 10 000 members
 */
export const parseJsonInSteps = function* (text: string): Generator<void, JsonValue> {
  const first = text.search(/[^ \t\n\r]/);
  if (text.length <= 2 * pieceLength || !'[{'.includes(text[first] ?? 'x')) return parseJson(text);
  const root: OpenContainer = {
    value: text[first] === '[' ? [] : {},
    names: new Set(),
    from: first + 1,
    before: 'NONE',
  };
  const open: OpenContainer[] = [root];
  let container = root;
  /** Levels below the container. */
  let depth = 0;
  let memberStart = root.from;
  /** The bracket at which the member at hand goes one level down. */
  let bracket = -1;

  for (let at = root.from; at < text.length;) {
    const character = text[at];
    if (depth > 0 && at - memberStart > pieceLength) {
      // the member is too long for one piece: it is read by itself
      if (container.before === 'MEMBER') throw failAt(container.from);
      if (memberStart > container.from) takeMembers(text, container, memberStart - 1);
      yield;
      const inner = addContainer(text, container, memberStart, bracket);
      container.before = 'MEMBER';
      open.push(inner);
      container = inner;
      depth = 0;
      at = inner.from;
      memberStart = at;
      bracket = -1;
      continue;
    }
    if (character === '"') {
      at = afterString(text, at);
      continue;
    }
    if (character === '[' || character === '{') {
      if (depth === 0 && bracket < memberStart) bracket = at;
      depth += 1;
      if (open.length + depth > maxDepth) throw new SyntaxError(`JSON nests more than ${maxDepth} levels deep`);
    } else if ((character === ']' || character === '}') && depth > 0) {
      depth -= 1;
    } else if (character === ']' || character === '}') {
      if (Array.isArray(container.value) !== (character === ']')) throw failAt(at);
      if (container.before === 'MEMBER' || (container.before === 'NONE' && isBlank(text, container.from, at))) {
        if (!isBlank(text, container.from, at)) throw failAt(container.from);
      } else if (isBlank(text, memberStart, at)) throw failAt(at);
      else takeMembers(text, container, at);
      open.pop();
      const parent = open.at(-1);
      if (parent === undefined) {
        if (!isBlank(text, at + 1, text.length)) throw failAt(at + 1);
        return container.value;
      }
      container = parent;
      container.from = at + 1;
      memberStart = at + 1;
    } else if (character === ',' && depth === 0) {
      if (container.before === 'MEMBER') {
        if (!isBlank(text, container.from, at)) throw failAt(container.from);
        container.from = at + 1;
        container.before = 'COMMA';
      } else if (at - container.from > pieceLength) {
        takeMembers(text, container, at);
        container.from = at + 1;
        container.before = 'COMMA';
        yield;
      }
      memberStart = at + 1;
    }
    at += 1;
  }
  throw failAt(text.length);
};
