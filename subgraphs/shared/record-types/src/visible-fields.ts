import type { RecordField, RecordTypeDefinition, ScalarField } from './record-type-definition.js';

/** The type of a field. */
export interface FieldType {
  /** Scalar, enum, nested type or record type. */
  readonly name: string;
  /** A list: references never contain nulls, objects contain the nulls of the data. */
  readonly list: 'no' | 'of-nullable' | 'of-non-null';
}

/** A field that has a type at present. */
export interface VisibleField {
  readonly field: RecordField;
  readonly type: FieldType;
}

/** The record types that some types are made among. */
export interface RecordTypeScope {
  /** The definition of a record type, whatever the case of the name; undefined where it is not one of them. */
  find(typeName: string): RecordTypeDefinition | undefined;
}

const valueType = ({ enumName, scalar }: ScalarField): string => enumName ?? scalar;

const targetType = (target: RecordTypeDefinition, property: string): string | undefined => {
  const folded = property.toLowerCase();
  const field = target.fields.find(({ propertyName }) => propertyName.toLowerCase() === folded);
  return field?.kind === 'scalar' ? valueType(field) : undefined;
};

/**
 * The fields that have a type: a cross-reference has none while its target is not in the scope, or where it yields a
 * property that is not a scalar; an object has none while nothing in it has.
 */
export const visibleFields = (
  definition: RecordTypeDefinition,
  fields: readonly RecordField[],
  scope: RecordTypeScope,
): readonly VisibleField[] => {
  const typeOf = (field: RecordField): FieldType | undefined => {
    if (field.kind === 'scalar') return { name: valueType(field), list: 'no' };
    if (field.kind === 'nested') {
      const nested = definition.nestedTypes.find(({ typeName }) => typeName === field.typeName);
      if (nested === undefined || visibleFields(definition, nested.fields, scope).length === 0) return undefined;
      return { name: field.typeName, list: field.list ? 'of-nullable' : 'no' };
    }
    const target = scope.find(field.typeName);
    if (target === undefined) return undefined;
    const list = field.list ? 'of-non-null' : 'no';
    const { property } = field.reference;
    if (property === undefined) return { name: target.typeName, list };
    const name = targetType(target, property);
    return name === undefined ? undefined : { name, list };
  };
  return fields.flatMap((field) => {
    const type = typeOf(field);
    return type === undefined ? [] : [{ field, type }];
  });
};
