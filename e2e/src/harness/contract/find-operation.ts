import type { Operation } from './api-document.js';

const matches = (template: string, path: string): boolean => {
  const expected = template.split('/');
  const segments = path.split('/');
  return (
    expected.length === segments.length &&
    expected.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''))
  );
};

const placeholders = ({ path }: Operation): number => path.split('{').length;

/** Operations at a path below `/api`, by method. If two templates match, the more specific one applies. */
export const findOperations = (operations: readonly Operation[], path: string): ReadonlyMap<string, Operation> => {
  const found = operations.filter((operation) => matches(operation.path, path));
  const fewest = Math.min(...found.map(placeholders));
  const held = found.filter((operation) => placeholders(operation) === fewest);
  return new Map(held.map((operation) => [operation.method, operation]));
};
