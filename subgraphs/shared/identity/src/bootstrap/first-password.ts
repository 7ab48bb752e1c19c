import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openPrivateFile } from '@fds/auth';

/** First-start password of one of the two users, and the file that shows it when it was generated. */
export interface FirstPassword {
  readonly password: string;
  readonly file: string | undefined;
}

/** File of a generated password: the password alone, so that `$(cat file)` gives it. */
const passwordFileOf = (dataDir: string, username: string): string => resolve(join(dataDir, `${username}.password`));

/** Files of first passwords that were generated into the folder, now or earlier. */
export const findPasswordFiles = async (dataDir: string): Promise<string[]> => {
  const files = ['admin', 'dgs'].map((username) => passwordFileOf(dataDir, username));
  const found = await Promise.all(
    files.map((file) =>
      stat(file).then(
        (entry) => entry.isFile(),
        () => false,
      ),
    ),
  );
  return files.filter((_file, index) => found[index]);
};

/** The password of the setting, otherwise a generated one in a file that only its owner may read. */
export const openFirstPassword = async (
  username: string,
  dataDir: string,
  given: string | undefined,
): Promise<FirstPassword> => {
  if (given !== undefined) return { password: given, file: undefined };
  const file = passwordFileOf(dataDir, username);
  const text = await openPrivateFile(file, () => `${randomBytes(18).toString('base64url')}\n`);
  return { password: text.trim(), file };
};
