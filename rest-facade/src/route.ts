import type { Action } from '@fds/permissions';

/** What a caller must hold. */
interface RequiredPermission {
  readonly action: Action;
  /** Path below `/api`, with the placeholders of the endpoint's own path. */
  readonly path: string;
}

/** What every endpoint says of itself: to the OpenAPI document, to GET `/endpoints`, and to the access check. */
export interface EndpointDeclaration {
  readonly method: Action;
  /**
   * Path below `/api`, with `{placeholders}`. A placeholder feeds the variable of its name; one that ends in `Uuid`
   * holds a UUID. Method and path are also the permission the caller must hold, unless `permission` names another.
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
  /** Keys of `options` to variables. */
  readonly options?: Readonly<Record<string, string>>;
  /** A variable that is told the keys of the options that are given. */
  readonly givenOptions?: string;
  /** Parameters of their own to variables. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What `sort` may name; feeds `$sort`. */
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
  /** The request's body is a file; it feeds `uploadUuid` and `format`. */
  readonly receives?: 'file';
  /** Plural name of a list answer. */
  readonly collection?: string;
  readonly status: 200 | 201 | 202 | 204;
  /** The status is the same when the resource does not exist. */
  readonly standsMissing?: true;
  /** A member of the result: where it is null there is nothing to tell, and the status is 204. */
  readonly emptyWithout?: string;
  /** A variable that, when true, makes the status 200: nothing was created. */
  readonly dryRunVariable?: string;
  /** Path of what was created: placeholders from the request's path, else from the answer. */
  readonly location?: string;
  /**
   * Of what was created, so that an answer that is given again (Idempotency-Key) shows what rules of data access leave now:
   * a query like `document`, and the variable that its uuid feeds.
   */
  readonly readAgain?: { readonly document: string; readonly variable: string };
  /** Every change of what is read has a changeVersion of its own: nothing else shows in the answer. */
  readonly versioned?: 'wholly';
  /** Every answer is another, being asked for anew: nobody keeps it. */
  readonly momentary?: true;
  /** The answer holds a credential: nobody keeps it. */
  readonly showsSecrets?: true;
  /** The answer also tells what the bearer token itself claims. */
  readonly withTokenClaims?: true;
}

/** Whether `fields` may select from a route's answers: from every resource that is read. */
export const selectableOf = ({ method }: GraphqlRoute): 'fields' | 'whole' => (method === 'GET' ? 'fields' : 'whole');
