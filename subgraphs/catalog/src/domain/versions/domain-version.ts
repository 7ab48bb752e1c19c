import { parseJson, type JsonObject, type JsonValue } from '@fds/json';
import { readMatchingAlgorithm } from '@fds/matching';
import { compileModelSchema, keyPropertiesOf, type CompiledModel, type ModelProperty } from '@fds/model-schema';
import { type FaultList, readCutDescription } from '@fds/errors';
import { decodeJson } from '../decode-json.js';
import { keepSpellings } from '../models/keep-spellings.js';
import { mergeModel } from '../models/merge-model.js';

export interface DomainVersion {
  readonly uuid: string;
  readonly domainUuid: string;
  readonly versionNumber: number;
  readonly description: string | null;
  /** Normalised JSON object. */
  readonly modelSchema: string;
  readonly drKeyProperties: readonly string[];
  readonly searchProperties: readonly string[];
  /** JSON object; null means EXACT. */
  readonly matchingAlgorithm: string | null;
  readonly active: boolean;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export interface DomainVersionInput {
  readonly modelSchema?: JsonValue;
  readonly description?: string | null;
  readonly drKeyProperties?: readonly string[] | null;
  readonly searchProperties?: readonly string[] | null;
  readonly matchingAlgorithm?: JsonValue;
  readonly domain?: { readonly uuid?: string | null; readonly name?: string | null } | null;
  readonly domainUuid?: string | null;
  readonly domainName?: string | null;
  readonly values?: JsonValue;
  readonly changeVersion?: number | bigint | null;
}

/** The compiled content of a version's input. */
export interface VersionContent {
  readonly description: string | null;
  readonly model: CompiledModel;
  readonly matchingAlgorithm: JsonObject | null;
}

/** The readable part of a version: its content if the model compiles, and its properties in any case. */
export interface ReadVersion {
  readonly content: VersionContent | undefined;
  readonly properties: readonly ModelProperty[];
}

/** Reads the content of a version that is created or replaced. */
export const readVersion = (input: DomainVersionInput, faults: FaultList): ReadVersion => {
  const description = readCutDescription(input.description, faults);
  const modelSchema = decodeJson(input.modelSchema ?? null);
  const drKeyProperties = input.drKeyProperties ?? [];
  if (drKeyProperties.length === 0) {
    faults.add('/drKeyProperties', 'REQUIRED', 'at least one DR Key property is required');
  }
  const compiled =
    modelSchema === null
      ? undefined
      : compileModelSchema({ modelSchema, drKeyProperties, searchProperties: input.searchProperties ?? [] });
  const model = compiled?.model;
  if (modelSchema === null) faults.add('/modelSchema', 'REQUIRED', 'modelSchema is required');
  const matchingAlgorithm = readMatchingAlgorithm(
    decodeJson(input.matchingAlgorithm ?? null),
    model === undefined ? drKeyProperties.map((name) => ({ name })) : keyPropertiesOf(model),
    faults,
  );
  const known = new Set(faults.causes.map((cause) => cause.pointer));
  for (const cause of compiled?.errors ?? []) {
    if (!known.has(cause.pointer)) faults.add(cause.pointer, cause.code, cause.detail);
  }
  return {
    content: model === undefined ? undefined : { description, model, matchingAlgorithm },
    properties: model?.properties ?? (compiled?.errors === undefined ? [] : compiled.properties),
  };
};

/** A stored version's compiled model. @throws Error when the stored model does not compile, which is a bug */
export const storedModel = ({ uuid, modelSchema, drKeyProperties, searchProperties }: DomainVersion): CompiledModel => {
  const { model } = compileModelSchema({ modelSchema: parseJson(modelSchema), drKeyProperties, searchProperties });
  if (model === undefined) throw new Error(`the stored model of domain version ${uuid} does not compile`);
  return model;
};

/** The body may repeat the domain of the path, but may not name another one. */
export const checkDomainNamed = (
  input: DomainVersionInput,
  domain: { readonly uuid: string; readonly name: string },
  faults: FaultList,
): void => {
  const check = (pointer: string, given: string | null | undefined, expected: string): void => {
    if (typeof given === 'string' && given.toLowerCase() !== expected.toLowerCase()) {
      faults.add(pointer, 'CONTRADICTION', 'names another domain than the path');
    }
  };
  check('/domainUuid', input.domainUuid, domain.uuid);
  check('/domainName', input.domainName, domain.name);
  check('/domain/uuid', input.domain?.uuid, domain.uuid);
  check('/domain/name', input.domain?.name, domain.name);
};

/** The server has only the data of data-store records; other records can be searched by their DR Key only. */
export const checkSearchedType = (
  { searchProperties }: Pick<DomainVersionInput, 'searchProperties'>,
  { domainType }: { readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE' },
  faults: FaultList,
): void => {
  if (domainType === 'SERVICE_DATA_STORE' || (searchProperties?.length ?? 0) === 0) return;
  faults.add('/searchProperties', 'NOT_ALLOWED', 'only domains of type SERVICE_DATA_STORE have searchProperties');
};

/** Turns a patch into the equivalent replacement. */
export const patchedVersionInput = (current: DomainVersion, patch: DomainVersionInput): DomainVersionInput => ({
  description: patch.description === undefined ? current.description : patch.description,
  drKeyProperties: patch.drKeyProperties ?? current.drKeyProperties,
  searchProperties: patch.searchProperties ?? current.searchProperties,
  matchingAlgorithm:
    patch.matchingAlgorithm === undefined && current.matchingAlgorithm !== null
      ? parseJson(current.matchingAlgorithm)
      : (patch.matchingAlgorithm ?? null),
  modelSchema: mergeModel(parseJson(current.modelSchema) as JsonObject, patch.modelSchema),
});

/** A replacement in which existing properties keep their spelling, because records store their data under it. */
export const withSpellingsOf = (before: CompiledModel, input: DomainVersionInput): DomainVersionInput =>
  input.modelSchema === undefined || input.modelSchema === null
    ? input
    : { ...input, modelSchema: keepSpellings(decodeJson(input.modelSchema), before) };
