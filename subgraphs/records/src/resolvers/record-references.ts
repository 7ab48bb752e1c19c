import DataLoader from 'dataloader';
import type { Assembler } from '@fds/assembly-contract';
import type { RequestContext } from '@fds/graphql';
import type { JsonValue } from '@fds/json';
import { readReference, recordTypeName, type ReferenceTarget } from '@fds/model-schema';
import { describeRecordType, type RecordFieldResolver, type ReferenceField } from '@fds/record-types';
import type { DomainVersionView } from '../domain/catalog.js';
import { findRecords } from '../store/read-records.js';
import { assembleRows } from './assemble-rows.js';
import { refuseExpression } from './key-properties.js';
import type { RecordsAccess } from './list-data-records.js';
import { perRequest } from './per-request.js';
import type { RecordRow } from './record-row.js';

type TargetLoader = DataLoader<ReferenceTarget, RecordRow | undefined, string>;

const targetKey = (target: ReferenceTarget): string => (target.kind === 'UUID' ? target.uuid : target.keyDigest);

const compareValues = (a: JsonValue | undefined, b: JsonValue | undefined): number => {
  if (a === b) return 0;
  if (a === undefined || a === null) return -1;
  if (b === undefined || b === null) return 1;
  return a < b ? -1 : 1;
};

/** The order and number of records that the reference asks for. */
const arrange = (rows: readonly RecordRow[], { sort, limit }: ReferenceField['reference']): readonly RecordRow[] => {
  const descending = sort?.startsWith('-') === true;
  const property = descending ? sort?.slice(1) : sort;
  const sorted =
    property === undefined
      ? rows
      : rows.toSorted((a, b) => compareValues(a.data[property], b.data[property]) * (descending ? -1 : 1));
  return limit === undefined ? sorted : sorted.slice(0, limit);
};

/** Resolves cross-references by value, those of one page and target in one statement. */
export const createReferenceResolver = ({
  database,
  assembler,
  view,
}: RecordsAccess & { readonly assembler: Assembler }) => {
  const createLoader = (version: DomainVersionView, context: RequestContext): TargetLoader => {
    const definition = describeRecordType({ ...version, domainVersionUuid: version.uuid });
    const loadBatch = async (targets: readonly ReferenceTarget[]): Promise<(RecordRow | undefined)[]> => {
      const uuids = targets.flatMap((target) => (target.kind === 'UUID' ? target.uuid : []));
      const keyDigests = targets.flatMap((target) => (target.kind === 'KEY' ? target.keyDigest : []));
      const found = await findRecords(database.pool, version.uuid, { uuids, keyDigests });
      const options = { zoneUuid: context.principal.defaultZoneUuid, additional: {} };
      // a record is found once for each of its keys
      const records = [...new Map(found.map((record) => [record.uuid, record])).values()];
      const rows = await assembleRows(assembler, definition, records, options, context);
      const byUuid = new Map(rows.map((row) => [row.uuid, row]));
      const byDigest = new Map(found.map(({ keyDigest, uuid }) => [keyDigest, byUuid.get(uuid)]));
      return targets.map((target) =>
        target.kind === 'UUID' ? byUuid.get(target.uuid) : byDigest.get(target.keyDigest),
      );
    };
    return new DataLoader(loadBatch, { cacheKeyFn: targetKey });
  };

  const loaders = perRequest(() => new Map<string, TargetLoader>());
  const loaderOf = (version: DomainVersionView, context: RequestContext): TargetLoader => {
    const known = loaders(context);
    const loader = known.get(version.uuid) ?? createLoader(version, context);
    known.set(version.uuid, loader);
    return loader;
  };

  return (field: ReferenceField, read: (source: unknown) => JsonValue | undefined): RecordFieldResolver => {
    const { reference, list } = field;
    const targetName = recordTypeName(reference.domain, reference.version);
    return async (source, args: { readonly query?: string | null }, context) => {
      refuseExpression(args.query ?? reference.query);
      const version = view().catalog.version(reference.domain, reference.version);
      if (version === undefined) throw new TypeError(`the target ${targetName} of a reference is gone`);
      const value = read(source);
      const values: readonly (JsonValue | undefined)[] = Array.isArray(value) ? value : [value];
      const targets = values.flatMap((item) => readReference(version.model, item) ?? []);
      const loaded = await Promise.all(targets.map((target) => loaderOf(version, context).load(target)));
      const rows = arrange(
        loaded.filter((row) => row !== undefined),
        reference,
      );
      const { property } = reference;
      const results = property === undefined ? rows : rows.map((row) => row.data[property] ?? null);
      return list ? results.filter((result) => result !== null) : (results[0] ?? null);
    };
  };
};
