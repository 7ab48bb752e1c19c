/** The addresses that a started service prints. */
export interface StartTextFacts {
  readonly baseUrl: string;
  /** Undefined when the assembly service is off. */
  readonly assemblyUrl: string | undefined;
  /** Undefined when no part of the process communicates with adaptors. */
  readonly busUrl: string | undefined;
  /** Files of generated passwords; empty when settings gave the passwords. */
  readonly passwordFiles: readonly string[];
  /** Does FDS_DGS_PASSWORD give the password of `dgs`? The printed command takes it from there. */
  readonly isPasswordGiven: boolean;
}

/** A path as one word of a shell, within the double quotes of the printed command too. */
const shellWord = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** The text that a person sees when the service is up: its addresses, and a command line that gets a token. */
export const startText = (facts: StartTextFacts): string => {
  const { baseUrl, assemblyUrl, busUrl, passwordFiles, isPasswordGiven } = facts;
  const generated = passwordFiles.map((file) => `  generated password     ${file}`);
  const password = passwordFiles.find((file) => file.endsWith('dgs.password'));
  const variable = isPasswordGiven ? '$FDS_DGS_PASSWORD' : '$PASSWORD';
  const shownPassword = password === undefined ? variable : `$(cat ${shellWord(password)})`;
  return [
    '',
    'Federated Data Service is up.',
    `  GraphQL (GraphiQL)     ${baseUrl}/graphql`,
    `  REST                   ${baseUrl}/api      documented at ${baseUrl}/docs`,
    ...(assemblyUrl === undefined ? [] : [`  assembly service       ${assemblyUrl}/request`]),
    ...(busUrl === undefined ? [] : [`  message bus            ${busUrl}`]),
    ...generated,
    `  the same in a browser  ${baseUrl}/`,
    '',
    'A token (as `dgs`, the data steward; `admin` administers zones):',
    `  curl -s -u "dgs:${shownPassword}" -d grant_type=client_credentials ${baseUrl}/oauth2/token`,
    '',
  ].join('\n');
};
