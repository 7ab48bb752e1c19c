/** The code of an error of the platform or of a library. */
export const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  // several addresses were tried, each with its own error
  if ('errors' in error && Array.isArray(error.errors)) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
};
