import type { Member, Shape } from './answer-shape.js';

/** Members that a resource shows only if a member of its GraphQL answer has a certain value. */
export interface Variants {
  /** The deciding member of the GraphQL answer. REST does not show it. */
  readonly by: string;
  /** Its values. Each lists the members that only resources with this value show. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

/**
 * Adds variants to the object of a shape.
 *
 * @throws Error when the object lacks a member that the variants name: a fault of a route's declaration
 */
export const applyVariants = (shape: Shape, variants: Variants): Shape => {
  const { by, members } = variants;
  let found = false;

  const inMembers = (own: readonly Member[]): readonly Member[] => {
    if (!own.some(({ name }) => name === by)) return own.map((member) => ({ ...member, shape: inShape(member.shape) }));
    found = true;
    const valueOf = new Map(Object.entries(members).flatMap(([value, names]) => names.map((name) => [name, value])));
    const missing = [...valueOf.keys()].filter((name) => !own.some((member) => member.name === name));
    if (missing.length > 0) throw new Error(`the document does not select "${missing.join('", "')}"`);
    return own
      .filter(({ name }) => name !== by)
      .map((member) => {
        const value = valueOf.get(member.name);
        return value === undefined ? member : { ...member, always: false, onlyIf: { member: by, is: value } };
      });
  };

  const inShape = (at: Shape): Shape => {
    if (at.kind === 'object') return { ...at, members: inMembers(at.members) };
    if (at.kind === 'list') return { ...at, element: inShape(at.element) };
    return at.kind === 'lifted' ? { ...at, inner: inShape(at.inner) } : at;
  };

  const applied = inShape(shape);
  if (!found) throw new Error(`the document does not select "${by}"`);
  return applied;
};
