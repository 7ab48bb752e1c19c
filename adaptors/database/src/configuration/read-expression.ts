import jsonata from 'jsonata';

/** The members of its context that an expression reads. */
export interface ExpressionReads {
  /** Members of the context that it names. */
  readonly roots: ReadonlySet<string>;
  /** Every name in it, of a member of the context or of another value. */
  readonly names: ReadonlySet<string>;
  /** True: it may read every member, for example by a wildcard. */
  readonly isWhole: boolean;
}

/** Longest expression in characters. */
const longestExpression = 10_000;

/** An expression that cannot be used. The message has the position of the fault. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
}

/** Functions whose result does not depend on the context alone: a row would have another content at each read. */
const changing: ReadonlySet<string> = new Set(['now', 'millis', 'random', 'shuffle', 'eval']);

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** Members of a node that have another context than the node. */
const ofOtherContext: ReadonlySet<string> = new Set(['predicate', 'stages', 'group', 'terms', 'pattern', 'update']);

const walk = (
  node: unknown,
  isRoot: boolean,
  seen: { readonly roots: Set<string>; readonly names: Set<string>; isWhole: boolean },
): void => {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, isRoot, seen);
    return;
  }
  if (!isNode(node)) return;
  const { type, value, position } = node;
  const at = typeof position === 'number' ? ` at position ${position}` : '';
  if (type === 'name') {
    seen.names.add(String(value));
    if (isRoot) seen.roots.add(String(value));
  }
  if (type === 'number' && typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new ExpressionFault(`a number with more digits than an expression keeps${at}: write it as a text`);
  if (type === 'wildcard' || type === 'descendant' || type === 'parent') seen.isWhole = true;
  if (type === 'variable' && changing.has(String(value)))
    throw new ExpressionFault(
      `$${String(value)}${at} is not allowed: the result depends on more than the row or record`,
    );
  if (type === 'variable' && (value === '' || value === '$')) seen.isWhole = true;
  if (type === 'function' || type === 'partial') {
    if (listOf(node['arguments']).length === 0) seen.isWhole = true;
  }
  if (type === 'path') {
    const [first, second, ...more] = listOf(node['steps']);
    const isContext =
      isNode(first) && first['type'] === 'variable' && (first['value'] === '$' || first['value'] === '');
    // `$$.name` and `$.name` read one member
    const isMember = isRoot && isContext && isNode(second) && second['type'] === 'name';
    if (!isMember) walk(first, isRoot, seen);
    walk(second, isMember, seen);
    walk(more, false, seen);
  }
  for (const [member, child] of Object.entries(node)) {
    if (member === 'steps' || !isNode(child)) continue;
    walk(child, isRoot && !ofOtherContext.has(member), seen);
  }
};

/**
 * Parses an expression.
 *
 * @throws ExpressionFault with the position
 */
export const readExpression = (text: string): ExpressionReads => {
  if (text.length > longestExpression)
    throw new ExpressionFault(`has ${text.length} characters; at most ${longestExpression} are allowed`);
  const seen = { roots: new Set<string>(), names: new Set<string>(), isWhole: false };
  try {
    walk(jsonata(text).ast(), true, seen);
  } catch (error) {
    if (error instanceof ExpressionFault) throw error;
    if (error instanceof RangeError) throw new ExpressionFault('is nested too deeply');
    const { message = 'is not valid', position } = error as { readonly message?: string; readonly position?: number };
    throw new ExpressionFault(
      `is not valid JSONata: ${message}${position === undefined ? '' : `, at position ${position}`}`,
    );
  }
  return seen;
};
