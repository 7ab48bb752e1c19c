// A list of common passwords, the most common ones first. The package has no types for its files.
declare module '@zxcvbn-ts/language-common/dist/passwords.json.cjs' {
  const passwords: readonly string[];
  export default passwords;
}
