import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { GraphqlExecutor, RequestContext } from '@fds/graphql';
import { isJsonObject, parseJson } from '@fds/json';
import { fromGraphqlErrors } from '../../problem/to-app-error.js';
import type { RecordVersion, VisibleVersion } from './record-version.js';

/** Live versions whose record types the caller may see. */
export type FindVisibleVersions = (principal: Principal) => readonly VisibleVersion[];

/** Most versions that a document describes, and most characters of all their models together. */
const maxVersions = 100;
const maxModelCharacters = 2 * 2 ** 20;

const document = `
  query readModelOfRecords($domainUuid: Uuid, $domainVersionUuid: Uuid!) {
    result: domainVersion(domainUuid: $domainUuid, domainVersionUuid: $domainVersionUuid) { modelSchema drKeyProperties }
  }`;

interface Model {
  readonly modelSchema: string;
  readonly drKeyProperties: readonly string[];
}

const tooLarge = (detail: string): AppError =>
  new AppError('QUERY_TOO_COMPLEX', `the document is too large: ${detail}; name fewer domains`);

/** Versions of the named domains, ignoring case. @throws AppError NOT_FOUND when the caller sees no version of a domain */
const versionsOf = (visible: readonly VisibleVersion[], names: readonly string[]): readonly VisibleVersion[] => {
  const found = names.map((name) => ({
    name,
    versions: visible.filter(({ domainName }) => domainName.toLowerCase() === name.toLowerCase()),
  }));
  const missing = found.filter(({ versions }) => versions.length === 0).map(({ name }) => `"${name}"`);
  if (missing.length > 0)
    throw new AppError('NOT_FOUND', `there is no domain ${missing.join(', ')} with a live version`);
  return [...new Set(found.flatMap(({ versions }) => versions))];
};

/** Loads the live versions of domains that a caller may see, with their models. */
export const createVersionLoader = (executor: GraphqlExecutor, findVisible: FindVisibleVersions) => {
  const operation = executor.prepare(document);

  const load = async (version: VisibleVersion, context: RequestContext) => {
    const { domainUuid, domainVersionUuid } = version;
    // a version has two paths; the caller may read it by either
    const isReadAlone = context.principal.permits('GET', `/domains/versions/${domainVersionUuid}`);
    const variables = { domainUuid: isReadAlone ? null : domainUuid, domainVersionUuid };
    const { data, errors = [] } = await operation.execute(variables, context);
    if (errors.length > 0) throw fromGraphqlErrors(errors);
    const model = data?.['result'] as Model;
    const modelSchema = parseJson(model.modelSchema);
    if (!isJsonObject(modelSchema)) throw new TypeError('a model schema is an object');
    const record: RecordVersion = { ...version, modelSchema, drKeyProperties: model.drKeyProperties };
    return { record, modelCharacters: model.modelSchema.length };
  };

  /** @throws AppError NOT_FOUND, QUERY_TOO_COMPLEX */
  return async (names: readonly string[], context: RequestContext): Promise<readonly RecordVersion[]> => {
    const versions = versionsOf(findVisible(context.principal), names);
    if (versions.length > maxVersions) throw tooLarge(`${versions.length} versions, at most ${maxVersions}`);
    const loaded: RecordVersion[] = [];
    let characters = 0;
    for (const version of versions) {
      const { record, modelCharacters } = await load(version, context);
      characters += modelCharacters;
      if (characters > maxModelCharacters) throw tooLarge(`models of more than ${maxModelCharacters} characters`);
      loaded.push(record);
    }
    return loaded;
  };
};
