import type { RequestedProperty } from '../requested-properties.js';

const pathsOf = ({ property, parts }: RequestedProperty): string[] => [property.path, ...parts.flatMap(pathsOf)];

/** Is the property of a dotted path requested, completely or in part? */
export const createIsRequested = (requested: readonly RequestedProperty[]): ((path: string) => boolean) => {
  const paths = new Set(requested.flatMap(pathsOf));
  return (path) => paths.has(path);
};
