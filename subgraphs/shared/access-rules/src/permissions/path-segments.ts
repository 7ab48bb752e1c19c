/** Segments of a path, the `/api` prefix left out. */
export const pathSegments = (path: string): string[] => {
  const segments = path.split('/').filter((segment) => segment !== '');
  return segments[0] === 'api' ? segments.slice(1) : segments;
};
