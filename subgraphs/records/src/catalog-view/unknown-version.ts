import { AppError } from '@fds/errors';

/** The refusal of a request about a version that there is not. @param versionNumber 0: the default one */
export const unknownVersion = (domainName: string, versionNumber: number | bigint | null | undefined): AppError =>
  new AppError(
    'NOT_FOUND',
    Number(versionNumber ?? 0) === 0
      ? `there is no domain "${domainName}" that has a version`
      : `there is no version ${versionNumber} of a domain "${domainName}"`,
  );
