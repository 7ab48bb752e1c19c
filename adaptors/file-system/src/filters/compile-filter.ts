import { compileLinearPattern } from '../patterns/linear-pattern.js';
import type { CompiledFilter, Filter, FilterSubject } from './filter.js';

const isHidden = ({ name }: FilterSubject): boolean => name.startsWith('.');

const matching = (source: string): CompiledFilter => {
  const pattern = compileLinearPattern(source);
  if ('fault' in pattern) throw new Error(pattern.fault);
  return ({ name }) => pattern.matchesWhole(name);
};

/**
 * A filter as a function. The metadata has been checked before.
 *
 * @throws Error for a pattern that cannot be used
 */
export const compileFilter = (filter: Filter): CompiledFilter => {
  switch (filter.type) {
    case 'AND': {
      const children = filter.children.map(compileFilter);
      return (subject) => children.every((child) => child(subject));
    }
    case 'OR': {
      const children = filter.children.map(compileFilter);
      return (subject) => children.some((child) => child(subject));
    }
    case 'NOT': {
      const children = filter.children.map(compileFilter);
      return (subject) => !children.some((child) => child(subject));
    }
    case 'IS_FILE':
      return ({ kind }) => kind === 'FILE';
    case 'IS_DIRECTORY':
      return ({ kind }) => kind === 'FOLDER';
    case 'CAN_READ':
      return ({ canRead }) => canRead();
    case 'HIDDEN':
      return isHidden;
    case 'VISIBLE':
      return (subject) => !isHidden(subject);
    case 'MODIFIED_AFTER':
      return ({ modifiedMs }) => modifiedMs > filter.value;
    case 'MINIMUM_SIZE':
      return ({ size }) => size >= filter.value;
    case 'MAXIMUM_SIZE':
      return ({ size }) => size <= filter.value;
    case 'REGEX':
      return matching(filter.value);
    case 'PREFIX':
      return ({ name }) => name.startsWith(filter.value);
    case 'SUFFIX':
      return ({ name }) => name.endsWith(filter.value);
  }
};
