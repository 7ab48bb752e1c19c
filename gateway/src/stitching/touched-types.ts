import type { RecordTypeRegistry } from '@fds/record-types';
import {
  TypeInfo,
  getNamedType,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
} from 'graphql';
import type { PlanningBase } from './static-supergraph.js';

/** What a document asks for. */
export interface TouchedTypes {
  /** Names of the record types. */
  readonly recordTypes: ReadonlySet<string>;
  /** What else planning needs. */
  readonly base: PlanningBase;
  /** Does it ask for `__schema` or `__type`? */
  readonly introspects: boolean;
}

const introspectionFields = new Set(['__schema', '__type']);

/** Finds what a valid document asks for. */
export const touchedTypes = (
  document: DocumentNode,
  schema: GraphQLSchema,
  registry: Pick<RecordTypeRegistry, 'ownerOf'>,
): TouchedTypes => {
  const recordTypes = new Set<string>();
  let asksStaticRoot = false;
  let introspects = false;
  const types = new TypeInfo(schema);
  const rootNames = new Set(
    [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].map((type) => type?.name),
  );

  const noteField = ({ name }: FieldNode): void => {
    const type = types.getType();
    const owner = type ? registry.ownerOf(getNamedType(type).name) : undefined;
    if (owner !== undefined) recordTypes.add(owner.typeName);
    else if (introspectionFields.has(name.value)) introspects = true;
    else if (!name.value.startsWith('__') && rootNames.has(types.getParentType()?.name)) asksStaticRoot = true;
  };

  visit(document, visitWithTypeInfo(types, { Field: { enter: noteField } }));
  const recordsOnly = recordTypes.size > 0 && !asksStaticRoot;
  return { recordTypes, base: recordsOnly ? 'RECORD_TYPES_ONLY' : 'EVERYTHING', introspects };
};
