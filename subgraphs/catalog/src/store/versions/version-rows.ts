import type { PrismaTransaction } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { VersionContent } from '../../domain/versions/domain-version.js';

/** The columns of the content of a version. */
export const versionColumns = ({ description, model, matchingAlgorithm }: VersionContent) => ({
  description,
  modelSchema: stringifyJson(model.modelSchema),
  drKeyProperties: [...model.drKeyProperties],
  searchProperties: model.searchProperties.map(({ name }) => name),
  matchingAlgorithm: matchingAlgorithm === null ? null : stringifyJson(matchingAlgorithm),
});

/** Prevents writes of records until the transaction ends, because their writers lock the version. */
export const lockVersion = (tx: PrismaTransaction, versionUuid: string): Promise<unknown> =>
  tx.$queryRaw`SELECT 1 FROM domain_version WHERE uuid = ${versionUuid}::uuid FOR UPDATE`;

export const hasRecords = async (tx: PrismaTransaction, versionUuid: string): Promise<boolean> => {
  const [row] = await tx.$queryRaw<{ present: boolean }[]>`
    SELECT EXISTS (SELECT FROM data_record WHERE domain_version_uuid = ${versionUuid}::uuid) AS present`;
  return row?.present === true;
};
