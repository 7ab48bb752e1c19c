import { OperationTypeNode, visit, type DocumentNode } from 'graphql';

/** The names in a document that may be of record types and their fields. */
export interface DocumentNames {
  readonly fields: ReadonlySet<string>;
  /** Type conditions of fragments, and types of variables. */
  readonly types: ReadonlySet<string>;
  /** Has the document a mutation? */
  readonly changes: boolean;
}

/** Collects names in one pass, without a schema; the document need not be valid. */
export const readDocumentNames = (document: DocumentNode): DocumentNames => {
  const fields = new Set<string>();
  const types = new Set<string>();
  let changes = false;
  visit(document, {
    OperationDefinition: ({ operation }) => {
      if (operation === OperationTypeNode.MUTATION) changes = true;
    },
    Field: ({ name }) => void fields.add(name.value),
    NamedType: ({ name }) => void types.add(name.value),
  });
  return { fields, types, changes };
};
