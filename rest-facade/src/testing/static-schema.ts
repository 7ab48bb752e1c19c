import { readFileSync } from 'node:fs';
import { subgraphNames } from '@fds/graphql';
import {
  buildASTSchema,
  Kind,
  parse,
  visit,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
} from 'graphql';

const sdlOf = (name: string): DocumentNode =>
  parse(readFileSync(new URL(`../../../subgraphs/${name}/schema.graphql`, import.meta.url), 'utf8'));

const withoutFederation = (document: DocumentNode): DocumentNode =>
  visit(document, { Directive: () => null, SchemaExtension: () => null });

const merge = (one: ObjectTypeDefinitionNode, other: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode => {
  const known = new Set(one.fields?.map(({ name }) => name.value));
  const added = other.fields?.filter(({ name }) => !known.has(name.value)) ?? [];
  return { ...one, fields: [...(one.fields ?? []), ...added] };
};

/** The API schema of the static subgraphs, built from their SDL files as composition does. */
export const loadStaticSchema = (): GraphQLSchema => {
  const definitions = new Map<string, DefinitionNode>();
  for (const definition of subgraphNames.flatMap((name) => withoutFederation(sdlOf(name)).definitions)) {
    if (!('name' in definition) || definition.name === undefined) continue;
    const known = definitions.get(definition.name.value);
    const merged =
      known?.kind === Kind.OBJECT_TYPE_DEFINITION && definition.kind === Kind.OBJECT_TYPE_DEFINITION
        ? merge(known, definition)
        : definition;
    definitions.set(definition.name.value, merged);
  }
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions: [...definitions.values()] });
};
