import { fragmentsOf } from '@fds/graphql';
import {
  Kind,
  getIntrospectionQuery,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { tooComplex } from './operation-limits.js';

/** The average length of the lists of introspection, by the name of the field. */
type ListSizes = ReadonlyMap<string, number>;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const listSizesOf = (schema: GraphQLSchema): ListSizes => {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  const implemented = types.flatMap((type) => (isObjectType(type) ? type.getInterfaces() : []));
  const possible = types.flatMap((type) => (isAbstractType(type) ? schema.getPossibleTypes(type) : []));
  const inputFields = types.flatMap((type) => (isInputObjectType(type) ? Object.values(type.getFields()) : []));
  const enumValues = types.flatMap((type) => (isEnumType(type) ? type.getValues() : []));
  return new Map([
    ['types', types.length],
    ['fields', fields.length / types.length],
    ['inputFields', inputFields.length / types.length],
    ['enumValues', enumValues.length / types.length],
    ['args', sum(fields.map(({ args }) => args.length)) / Math.max(1, fields.length)],
    ['directives', schema.getDirectives().length],
    ['interfaces', implemented.length / types.length],
    ['possibleTypes', possible.length / types.length],
    // about every second type of a field is a list or non-null
    ['ofType', 0.5],
  ]);
};

const introspectionFields = new Set(['__schema', '__type']);

/** The cost of the introspection in all operations of a document. The time is linear in its text. */
const costOf = (document: DocumentNode, sizes: ListSizes): number => {
  const fragments = fragmentsOf(document);
  /** Costs of fragments within introspection, and outside of it. A circle of fragments is not valid and costs nothing. */
  const measured = { within: new Map<string, number>(), outside: new Map<string, number>() };

  const ofSelections = ({ selections }: SelectionSetNode, where: keyof typeof measured): number =>
    sum(
      selections.map((selection) => {
        if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value, where);
        if (selection.kind === Kind.INLINE_FRAGMENT) return ofSelections(selection.selectionSet, where);
        const { selectionSet } = selection;
        const name = selection.name.value;
        const within = where === 'within' || introspectionFields.has(name) ? 'within' : 'outside';
        const below = selectionSet === undefined ? 0 : ofSelections(selectionSet, within);
        return within === 'within' ? 1 + (sizes.get(name) ?? 1) * below : below;
      }),
    );

  const ofFragment = (name: string, where: keyof typeof measured): number => {
    const known = measured[where].get(name);
    if (known !== undefined) return known;
    measured[where].set(name, 0);
    const fragment = fragments.get(name);
    const cost = fragment === undefined ? 0 : ofSelections(fragment.selectionSet, where);
    measured[where].set(name, cost);
    return cost;
  };

  return sum(
    document.definitions.map((node) =>
      node.kind === Kind.OPERATION_DEFINITION ? ofSelections(node.selectionSet, 'outside') : 0,
    ),
  );
};

const standardQuery = getIntrospectionQuery({
  inputValueDeprecation: true,
  schemaDescription: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
});

/**
 * Refuses documents whose introspection costs more than a number of standard introspection queries. The unit is the
 * cost of that query on the same schema, so that the limit does not depend on the number of types.
 */
export const createIntrospectionLimit = (
  schema: GraphQLSchema,
  maxIntrospections: number,
): ((document: DocumentNode) => void) => {
  const sizes = listSizesOf(schema);
  const standard = costOf(parse(standardQuery), sizes);
  return (document) => {
    const cost = costOf(document, sizes) / standard;
    // one decimal shows how far it exceeds the limit
    if (cost > maxIntrospections) throw tooComplex('introspection', Math.ceil(cost * 10) / 10, maxIntrospections);
  };
};
