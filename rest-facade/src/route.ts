import type { Action } from '@fds/access-rules';
import type { Variants } from './answer/apply-variants.js';

/** The permission that a caller needs. */
interface RequiredPermission {
  readonly action: Action;
  /** Path below `/api`, with the placeholders of the endpoint's own path. */
  readonly path: string;
}

/** The description of an endpoint, for the OpenAPI document, GET `/endpoints`, and the access check. */
export interface EndpointDeclaration {
  readonly method: Action;
  /**
   * Path below `/api`, with `{placeholders}`. A placeholder supplies the variable of its name. If the name ends in
   * `Uuid`, the value must be a UUID. Method and path are also the permission that the caller needs, unless
   * `permission` names another.
   */
  readonly path: string;
  readonly permission?: RequiredPermission;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** The body is a list of documents in YAML or JSON. It supplies the variable `documents`. */
  readonly takesDocuments?: true;
}

/** Query parameters of a route. A value is read as the type of the variable that it supplies. */
export interface QueryDeclaration {
  /** `page` and `size` supply the variables of the same names. */
  readonly paged?: true;
  /** Keys of `filters`, with their variables. */
  readonly filters?: Readonly<Record<string, string>>;
  /** An example of `filters`, if requests without them are refused. */
  readonly needs?: string;
  /** Keys of `options`, with their variables. */
  readonly options?: Readonly<Record<string, string>>;
  /** A variable that receives the keys of the given options. */
  readonly givenOptions?: string;
  /** Separate parameters, with their variables. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The keys of `sort`; supplies `$sort`. */
  readonly sort?: readonly string[] | 'anyProperty';
  /** `query`, a search expression, which supplies `$query`. */
  readonly search?: true;
  /** Variables of a request without any query string. */
  readonly withoutQuery?: Readonly<Record<string, unknown>>;
}

/**
 * What the JSON body feeds: the one variable `input`; `inputs`, a list given bare or as a single object; a list given bare
 * or as the member `wrapper` of an object, as list answers show it; or the variables named, each a member of the body.
 */
export type BodyDeclaration =
  | { readonly kind: 'object'; readonly variable: string }
  | { readonly kind: 'oneOrMany'; readonly variable: string }
  | { readonly kind: 'list'; readonly variable: string; readonly wrapper: string }
  | { readonly kind: 'members'; readonly variables: readonly string[] };

/** A path that is translated to a GraphQL operation. Everything except the translation happens behind the operation. */
export interface GraphqlRoute extends EndpointDeclaration {
  readonly kind: 'graphql';
  /**
   * The document has one operation. Its root field `result` is the answer. See `compileShape` for `_spread` and
   * `_value`.
   */
  readonly document: string;
  readonly query?: QueryDeclaration;
  readonly body?: BodyDeclaration;
  /** Kinds of the resource that show different members. */
  readonly variants?: Variants;
  /** The body of the request is a file, which supplies `uploadUuid` and `format`. */
  readonly receives?: 'file';
  /**
   * Callers may ask for lines of JSON (`application/x-ndjson`) until the end of the list in place of one page. The document
   * has the variables of the route's document, `$after` and `$size` among them. Its `result` has `lines`, `cursor` and
   * `more`. `list` is the member of the route's result that has the same elements.
   */
  readonly lines?: { readonly document: string; readonly list: string };
  /** Name of the list in a list answer. */
  readonly collection?: string;
  readonly status: 200 | 201 | 202 | 204;
  /** Names of schemas in the OpenAPI document by type, for answers that show another part of a type than other routes. */
  readonly schemaNames?: Readonly<Record<string, string>>;
  /** The status is also the same when the resource does not exist. */
  readonly standsMissing?: true;
  /** A member of the result. When it is null, the answer is 204 without content. */
  readonly emptyWithout?: string;
  /** When this variable is true, the status is 200, because nothing was created. */
  readonly dryRunVariable?: string;
  /** Path of the created resource. Its placeholders are filled from the request's path, otherwise from the answer. */
  readonly location?: string;
  /**
   * For a created resource: a repeated answer (Idempotency-Key) shows only the part that data access rules still allow.
   * The document is a query like `document`, and `variable` receives the uuid.
   */
  readonly readAgain?: { readonly document: string; readonly variable: string };
  /** Every change of the resource has its own changeVersion, and the answer shows nothing else. */
  readonly versioned?: 'wholly';
  /** Every answer is different, so it is not cached. */
  readonly momentary?: true;
  /** The answer contains a credential, so it is not cached. */
  readonly showsSecrets?: true;
  /** The answer also contains the claims of the bearer token. */
  readonly withTokenClaims?: true;
}

/** Whether `fields` may select from a route's answers: only for GET. */
export const selectableOf = ({ method }: GraphqlRoute): 'fields' | 'whole' => (method === 'GET' ? 'fields' : 'whole');
