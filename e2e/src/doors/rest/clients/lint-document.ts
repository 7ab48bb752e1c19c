import { createConfig, lintFromString } from '@redocly/openapi-core';

/**
 * Paths of the specification that look alike: `versions` is no uuid, so no request fits both. OpenAPI has no way to say so.
 */
const withoutRules = { 'no-ambiguous-paths': 'off' } as const;

/** What the rules that Redocly recommends find in an OpenAPI document, each with its place. */
export const lintDocument = async (document: string): Promise<readonly string[]> => {
  const config = await createConfig({ extends: ['recommended'], rules: withoutRules });
  const problems = await lintFromString({ source: document, config });
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${ruleId}: ${message} (${place?.pointer ?? 'the document'})`,
  );
};
