/**
 * Number of cases of a random test. The usual number keeps `npm test` short; FDS_TEST_CAMPAIGN multiplies it.
 *
 * @throws Error when FDS_TEST_CAMPAIGN is not a positive number
 */
export const casesOf = (usual: number): number => {
  const factor = Number(process.env['FDS_TEST_CAMPAIGN'] ?? 1);
  if (!(factor > 0 && Number.isFinite(factor)))
    throw new Error(`FDS_TEST_CAMPAIGN is a positive number, not "${process.env['FDS_TEST_CAMPAIGN']}"`);
  return Math.ceil(usual * factor);
};
