/** A JSON Schema of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Content by media type. */
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  /** Keys of `filters`, `options` and `sort`, with schemas of their values. */
  readonly 'x-keys'?: Readonly<Record<string, Schema>>;
}

interface Reference {
  readonly $ref: string;
}

/** A header of an answer, with resolved references. */
interface Header {
  readonly required?: boolean;
}

interface RawResponse {
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

/** An answer, with resolved references and header names in lower case. */
export interface Response {
  readonly headers: Readonly<Record<string, Header>>;
  readonly content: Content;
}

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  /** The path's base, if it is not `/api`. */
  readonly servers?: readonly { readonly url: string }[];
  readonly 'x-ignores-other-parameters'?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, RawResponse | Reference>>;
}

/** The parts of the OpenAPI document that the tests read. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, RawResponse>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
}

/** The base of documented paths. */
export type Door = 'api' | 'assembly';

/** A documented operation. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** The base of the path: `/api` of the server, or the address of the assembly service. */
  readonly door: Door;
  /** With `{placeholders}`. */
  readonly path: string;
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  /** True: parameters that are not documented are ignored instead of refused. */
  readonly ignoresOthers: boolean;
  /** Request bodies by media type. */
  readonly bodies: Content;
  /** Responses by status. `default` covers the answers of any HTTP server. */
  readonly responses: ReadonlyMap<string, Response>;
}

const isEmpty = (scheme: unknown): boolean => Object.keys(scheme as object).length === 0;

const lastOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** All operations of the document. @throws Error when it refers to a missing component */
export const operationsOf = ({ paths, components }: ApiDocument): readonly Operation[] => {
  const follow = <T>(value: T | Reference, held: Readonly<Record<string, T>>): T => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value;
    const found = held[lastOf(value.$ref)];
    if (found === undefined) throw new Error(`the OpenAPI document has no ${value.$ref}`);
    return found;
  };
  const responseOf = (raw: RawResponse | Reference): Response => {
    const { headers = {}, content = {} } = follow(raw, components.responses);
    return {
      content,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, header]) => [name.toLowerCase(), follow(header, components.headers)]),
      ),
    };
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId, security, servers, parameters = [], requestBody, responses, ...more }]) => ({
        operationId,
        method: method.toUpperCase(),
        door: servers === undefined ? 'api' : 'assembly',
        path,
        needsToken: security?.length !== 0 && !security?.some((scheme) => isEmpty(scheme)),
        parameters,
        ignoresOthers: more['x-ignores-other-parameters'] === true,
        bodies: requestBody?.content ?? {},
        responses: new Map(Object.entries(responses).map(([status, raw]) => [status, responseOf(raw)])),
      }),
    ),
  );
};
