import type { Action } from '@fds/permissions';
import type { Variants } from './answer/apply-variants.js';

/** The permission that a caller needs. */
interface RequiredPermission {
  readonly action: Action;
  /** Path below `/api`, with the placeholders of the endpoint's own path. */
  readonly path: string;
}

/** The description of every endpoint: for the OpenAPI document, for GET `/endpoints`, and for the access check. */
export interface EndpointDeclaration {
  readonly method: Action;
  /**
   * Path below `/api`, with `{placeholders}`. A placeholder supplies the variable of its name; a placeholder that ends
   * in `Uuid` contains a UUID. Method and path are also the permission the caller must hold, unless `permission` names
   * another.
   */
  readonly path: string;
  readonly permission?: RequiredPermission;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
}

/** Query parameters of a route. Values are read as the type of the variable they feed. */
export interface QueryDeclaration {
  /** `page` and `size` feed the variables of their names. */
  readonly paged?: true;
  /** Keys of `filters` to variables. */
  readonly filters?: Readonly<Record<string, string>>;
  /** An example of `filters`, where a request without them is refused. */
  readonly needs?: string;
  /** Keys of `options` to variables. */
  readonly options?: Readonly<Record<string, string>>;
  /** A variable that is told the keys of the options that are given. */
  readonly givenOptions?: string;
  /** Separate parameters for variables. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The keys of `sort`; supplies `$sort`. */
  readonly sort?: readonly string[] | 'anyProperty';
  /** `query`, a search expression; feeds `$query`. */
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

/** A path that is translated to a GraphQL operation. Everything but the translation happens behind the operation. */
export interface GraphqlRoute extends EndpointDeclaration {
  readonly kind: 'graphql';
  /** One operation; the root field called `result` is the answer. See `compileShape` for `_spread` and `_value`. */
  readonly document: string;
  readonly query?: QueryDeclaration;
  readonly body?: BodyDeclaration;
  /** Kinds of the resource that show different members. */
  readonly variants?: Variants;
  /** The request's body is a file; it feeds `uploadUuid` and `format`. */
  readonly receives?: 'file';
  /** Plural name of a list answer. */
  readonly collection?: string;
  readonly status: 200 | 201 | 202 | 204;
  /** Names of schemas in the OpenAPI document by type, where an answer shows another part of a type than other routes do. */
  readonly schemaNames?: Readonly<Record<string, string>>;
  /** The status is the same when the resource does not exist. */
  readonly standsMissing?: true;
  /** A member of the result: when it is null there is no content, and the status is 204. */
  readonly emptyWithout?: string;
  /** A variable that, when true, makes the status 200: nothing was created. */
  readonly dryRunVariable?: string;
  /** Path of the created resource: placeholders from the request's path, otherwise from the answer. */
  readonly location?: string;
  /**
   * For a created resource, so that a repeated answer (Idempotency-Key) shows the part that data access rules now leave: a
   * query like `document`, and the variable that its uuid supplies.
   */
  readonly readAgain?: { readonly document: string; readonly variable: string };
  /** Every change of the resource has its own changeVersion: the answer shows nothing else. */
  readonly versioned?: 'wholly';
  /** Every answer is new: it is not cached. */
  readonly momentary?: true;
  /** The answer contains a credential: it is not cached. */
  readonly showsSecrets?: true;
  /** The answer also contains the claims of the bearer token. */
  readonly withTokenClaims?: true;
}

/** Whether `fields` may select from a route's answers: from every resource that is read. */
export const selectableOf = ({ method }: GraphqlRoute): 'fields' | 'whole' => (method === 'GET' ? 'fields' : 'whole');
