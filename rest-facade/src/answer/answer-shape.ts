/** The form of an API scalar in a REST answer. */
export type LeafFormat = 'text' | 'uuid' | 'int32' | 'int64' | 'number' | 'boolean' | 'dateTime' | 'json';

interface Nullable {
  readonly nullable: boolean;
  readonly description?: string | undefined;
}

/** A scalar or enum. `json` is JSON of any shape: text in GraphQL, native in REST. */
export interface LeafShape extends Nullable {
  readonly kind: 'leaf';
  readonly format: LeafFormat;
  /** Names of an enum's values. */
  readonly values?: readonly string[];
}

export interface ListShape extends Nullable {
  readonly kind: 'list';
  readonly element: Shape;
}

export interface ObjectShape extends Nullable {
  readonly kind: 'object';
  /** Name of the GraphQL type. */
  readonly type: string;
  readonly members: readonly Member[];
}

/** An object that REST replaces with one of its members. */
interface LiftedShape extends Nullable {
  readonly kind: 'lifted';
  readonly key: string;
  readonly inner: Shape;
}

export type Shape = LeafShape | ListShape | ObjectShape | LiftedShape;

export interface Member {
  readonly name: string;
  readonly shape: Shape;
  /** False: the answer contains it only if a directive of the document includes it. */
  readonly always: boolean;
  /** Member of the GraphQL answer that contains it, if it is nested there. */
  readonly within?: string | undefined;
  /** The answer shows the member only if another member of the GraphQL answer has this value. */
  readonly onlyIf?: { readonly member: string; readonly is: string };
}

/** The object behind lists and lifted members, if there is one. */
export const objectOf = (shape: Shape): ObjectShape | undefined => {
  if (shape.kind === 'list') return objectOf(shape.element);
  if (shape.kind === 'lifted') return objectOf(shape.inner);
  return shape.kind === 'object' ? shape : undefined;
};

/** @throws Error when the object has no such member: a fault of a route's declaration */
export const requireMember = (shape: Shape, name: string): Shape => {
  const member = objectOf(shape)?.members.find((candidate) => candidate.name === name);
  if (member === undefined) throw new Error(`the document does not select "${name}"`);
  return member.shape;
};
