import { AppError } from '@fds/errors';
import { GraphQLEnumType } from 'graphql';
import type { EnumDefinition } from './record-type-definition.js';

/**
 * Builds the enum of a property. Records outlive changes of their model, and sources may have other values: a value that is not listed
 * is an error at its field and does not affect the rest of the answer.
 */
export const buildEnum = ({ typeName, values }: EnumDefinition): GraphQLEnumType => {
  const type = new GraphQLEnumType({
    name: typeName,
    values: Object.fromEntries(values.map((value) => [value, { value }])),
  });
  const listed = new Set<unknown>(values);
  type.serialize = (value) => {
    if (listed.has(value)) return value as string;
    throw new AppError('VALUE_NOT_IN_ENUM', 'the value is none of those listed in the model');
  };
  return type;
};
