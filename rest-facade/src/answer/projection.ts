import type { Reading } from '../causes/reading.js';
import { objectOf, type Shape } from './answer-shape.js';

/** The content of `fields`: member name to the paths below it. An empty map means everything below. */
export type Projection = ReadonlyMap<string, Projection>;

type Growing = Map<string, Growing>;

const add = (root: Growing, path: readonly string[]): void => {
  let node = root;
  for (const [index, name] of path.entries()) {
    const next = node.get(name);
    const isLast = index === path.length - 1;
    // `a,a.b` requests all of a
    if (next !== undefined && next.size === 0) return;
    if (next === undefined || isLast) node.set(name, new Map());
    node = node.get(name) as Growing;
  }
};

const isJson = (shape: Shape): boolean =>
  shape.kind === 'leaf'
    ? shape.format === 'json'
    : shape.kind !== 'object' && isJson(shape.kind === 'list' ? shape.element : shape.inner);

const faultOf = (shape: Shape, path: readonly string[]): string | undefined => {
  let at = shape;
  for (const [index, name] of path.entries()) {
    const object = objectOf(at);
    if (object === undefined) {
      return isJson(at) ? undefined : `"${path.slice(0, index).join('.')}" has no members`;
    }
    const member = object.members.find((candidate) => candidate.name === name);
    if (member === undefined) {
      return `"${path.slice(0, index + 1).join('.')}" is unknown; allowed: ${object.members.map((known) => known.name).join(', ')}`;
    }
    at = member.shape;
  }
  return undefined;
};

/**
 * Reads `fields=a,b.c` for a resource of the given shape. Below JSON of any shape, every name is allowed.
 *
 * @param reading receives every fault with code UNKNOWN_FIELD
 * @returns undefined when a fault was found
 */
export const parseProjection = (text: string, shape: Shape, reading: Pick<Reading, 'add'>): Projection | undefined => {
  const root: Growing = new Map();
  let isRight = true;
  for (const part of text.split(',')) {
    const path = part.trim().split('.');
    const fault = faultOf(shape, path);
    if (fault === undefined) add(root, path);
    else {
      isRight = false;
      reading.add({ pointer: 'fields', code: 'UNKNOWN_FIELD', detail: fault });
    }
  }
  return isRight ? root : undefined;
};
