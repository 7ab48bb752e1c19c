import { AppError, type ErrorCause } from '@fds/errors';

type ChangeOrder = 'NEWEST_FIRST' | 'OLDEST_FIRST';

/** Arguments of the field `changeLog`. Null and undefined mean the default. */
export interface ChangeLogArguments {
  readonly zoneUuid?: string | null;
  readonly types?: readonly string[] | null;
  readonly actions?: readonly string[] | null;
  /** Path, with or without `/api`; `/*` at the end includes all resources below the path. */
  readonly resource?: string | null;
  readonly actorUuid?: string | null;
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly order?: ChangeOrder | null;
  readonly after?: number | bigint | null;
  readonly size?: number | null;
}

/** A query on the change log. */
export interface ChangeQuery {
  /** Undefined members match any value. */
  readonly filter: {
    readonly zoneUuid: string | undefined;
    readonly types: readonly string[] | undefined;
    readonly actions: readonly string[] | undefined;
    readonly resource: string | undefined;
    /** Also returns the resources below `resource`. */
    readonly below: boolean;
    readonly actorUuid: string | undefined;
    /** Inclusive. */
    readonly from: Date | undefined;
    /** Exclusive. */
    readonly to: Date | undefined;
  };
  readonly order: ChangeOrder;
  readonly after: bigint | undefined;
  readonly size: number;
}

/** Arguments of the field `changeLogProof`. */
export interface ProofArguments {
  readonly after?: number | bigint | null;
  readonly size?: number | null;
}

const maxPages = 100;
const defaultPages = 10;

/** Reads the arguments. @throws AppError INVALID_PARAMETER with every fault */
export const readProofQuery = (args: ProofArguments): { readonly after: bigint; readonly limit: number } => {
  const errors: ErrorCause[] = [];
  const limit = args.size ?? defaultPages;
  const after = BigInt(args.after ?? 0);
  if (limit < 1 || limit > maxPages)
    errors.push({ pointer: 'size', code: 'OUT_OF_RANGE', detail: `size must be from 1 to ${maxPages}` });
  if (after < 0n)
    errors.push({ pointer: 'after', code: 'OUT_OF_RANGE', detail: 'after must be the number of a page, or 0' });
  if (errors.length > 0)
    throw new AppError('INVALID_PARAMETER', 'the question to the proof of the change log is not valid', { errors });
  return { after, limit };
};

const maxSize = 1000;
const defaultSize = 100;

/** A path in the form of the log: below `/api`, with a leading slash. */
const toLoggedPath = (path: string): string => `/${path.replace(/^\/?(?:api\/)?/, '')}`;

/** Reads the arguments. @throws AppError INVALID_PARAMETER with every fault */
export const readChangeQuery = (args: ChangeLogArguments): ChangeQuery => {
  const errors: ErrorCause[] = [];
  const size = args.size ?? defaultSize;
  if (size < 1 || size > maxSize) {
    errors.push({ pointer: 'size', code: 'OUT_OF_RANGE', detail: `size must be from 1 to ${maxSize}` });
  }
  const after = args.after === null || args.after === undefined ? undefined : BigInt(args.after);
  if (after !== undefined && after < 0n) {
    errors.push({ pointer: 'after', code: 'OUT_OF_RANGE', detail: 'after must be a cursor of the change log' });
  }
  const resource = args.resource === null || args.resource === undefined ? undefined : toLoggedPath(args.resource);
  if (resource !== undefined && /[?*]/.test(resource.replace(/\/\*$/, ''))) {
    errors.push({
      pointer: 'resource',
      code: 'INVALID_VALUE',
      detail: `"${resource}" has a wildcard; only "/*" at its end stands for everything below`,
    });
  }
  if (errors.length > 0)
    throw new AppError('INVALID_PARAMETER', 'the question to the change log is not valid', { errors });
  return {
    filter: {
      zoneUuid: args.zoneUuid ?? undefined,
      types: args.types ?? undefined,
      actions: args.actions ?? undefined,
      resource: resource?.replace(/\/\*$/, ''),
      below: resource?.endsWith('/*') === true,
      actorUuid: args.actorUuid ?? undefined,
      from: args.from ?? undefined,
      to: args.to ?? undefined,
    },
    order: args.order ?? 'NEWEST_FIRST',
    after,
    size,
  };
};
