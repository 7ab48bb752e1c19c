import { once } from '@fds/service';

/** Words of the service, which guesses begin with. */
const serviceWords = ['fds', 'federateddataservice', 'federated', 'dataservice'] as const;

const shortestWord = 3;

/** The list is loaded with the first password: it takes some milliseconds and a few megabytes. */
const loadCommonPasswords = once(async (): Promise<ReadonlySet<string>> => {
  const { default: passwords } = await import('@zxcvbn-ts/language-common/dist/passwords.json.cjs');
  return new Set(passwords.filter((password) => password.length >= shortestWord));
});

const lettersAndDigits = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Is there nothing in the password but the words, digits and signs? */
const consistsOf = (password: string, words: readonly string[]): boolean => {
  let rest = lettersAndDigits(password);
  const before = rest.length;
  for (const word of words) rest = rest.replaceAll(word, '');
  return rest.length < before && !/\p{L}/u.test(rest);
};

/**
 * Why a password is too easy to guess: it is one of the most common ones, ignoring case, or it consists of words that are known from
 * the place where it is used (OWASP ASVS 5.0, 6.2.4 and 6.2.11). Undefined for every other password.
 *
 * @param words such as the user name
 */
export const weakPasswordFault = async (password: string, words: readonly string[]): Promise<string | undefined> => {
  if ((await loadCommonPasswords()).has(password.toLowerCase())) return 'is one of the most common passwords';
  const known = [...words.map(lettersAndDigits), ...serviceWords].filter(({ length }) => length >= shortestWord);
  const longestFirst = known.toSorted((one, other) => other.length - one.length);
  return consistsOf(password, longestFirst) ? 'consists of the user name or the name of the service' : undefined;
};
