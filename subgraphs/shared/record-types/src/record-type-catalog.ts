import { stringifyJson } from '@fds/json';
import type { DocumentNames } from './document-names.js';
import { changedRecordType, typeOfInput } from './record-changes.js';
import type { RecordField, RecordTypeDefinition } from './record-type-definition.js';

const fold = (typeName: string): string => typeName.toLowerCase();

const typeNamesOf = (definition: RecordTypeDefinition): readonly string[] => [
  definition.typeName,
  definition.pageTypeName,
  ...definition.nestedTypes.map(({ typeName }) => typeName),
  ...definition.enums.map(({ typeName }) => typeName),
];

const allFields = ({ fields, nestedTypes }: RecordTypeDefinition): readonly RecordField[] =>
  nestedTypes.length === 0 ? fields : [...fields, ...nestedTypes.flatMap((nested) => nested.fields)];

/** The definitions of the record types there are, by every name that leads to them. */
export class RecordTypeCatalog {
  readonly #definitions = new Map<string, RecordTypeDefinition>();
  readonly #owners = new Map<string, RecordTypeDefinition>();
  #generation = 0;

  /** Grows with every change. */
  get generation(): number {
    return this.#generation;
  }

  /** @throws TypeError when another definition has a type of the same name; nothing is changed then */
  put(definition: RecordTypeDefinition): void {
    const earlier = this.find(definition.typeName);
    if (earlier !== undefined && stringifyJson(earlier) === stringifyJson(definition)) return;
    for (const typeName of typeNamesOf(definition)) {
      const owner = this.#owners.get(typeName);
      if (owner !== undefined && owner !== earlier) {
        throw new TypeError(`${typeName} of ${definition.typeName} is a type of ${owner.typeName} already`);
      }
    }
    if (earlier !== undefined) this.#forget(earlier);
    this.#definitions.set(fold(definition.typeName), definition);
    for (const typeName of typeNamesOf(definition)) this.#owners.set(typeName, definition);
    this.#generation += 1;
  }

  remove(typeName: string): void {
    const definition = this.find(typeName);
    if (definition === undefined) return;
    this.#forget(definition);
    this.#generation += 1;
  }

  /** Ignoring case. */
  find(typeName: string): RecordTypeDefinition | undefined {
    return this.#definitions.get(fold(typeName));
  }

  ownerOf(namedType: string): RecordTypeDefinition | undefined {
    return this.#owners.get(namedType);
  }

  all(): IterableIterator<RecordTypeDefinition> {
    return this.#definitions.values();
  }

  /**
   * The record types that a document with these names may touch, in a time that grows with the document and with the types that it
   * touches: query fields, mutations, type conditions, input types, and the targets of the references among its fields. A few more may be among
   * them, where a field of another type has the name.
   */
  reachable({ fields, types }: DocumentNames): ReadonlySet<string> {
    const reached = new Set<string>();
    const pending: RecordTypeDefinition[] = [];
    const reach = (definition: RecordTypeDefinition | undefined): void => {
      if (definition === undefined || reached.has(definition.typeName)) return;
      reached.add(definition.typeName);
      pending.push(definition);
    };
    for (const name of fields) {
      const typeName = changedRecordType(name) ?? name;
      const definition = this.find(typeName);
      if (definition?.typeName === typeName) reach(definition);
    }
    for (const name of types) reach(this.ownerOf(typeOfInput(name) ?? name));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const field of allFields(next)) {
        if (field.kind === 'reference' && fields.has(field.graphqlName)) reach(this.find(field.typeName));
      }
    }
    return reached;
  }

  #forget(definition: RecordTypeDefinition): void {
    for (const typeName of typeNamesOf(definition)) this.#owners.delete(typeName);
    this.#definitions.delete(fold(definition.typeName));
  }
}
