import type { DomainType, ReferenceField } from './record-type-definition.js';

/** An argument of a generated field. */
export interface FieldArgument {
  readonly name: string;
  readonly type: 'Int' | 'String' | 'Uuid';
  readonly list: boolean;
  readonly defaultValue?: number;
  readonly description: string;
}

const paging: readonly FieldArgument[] = [
  { name: 'page', type: 'Int', list: false, defaultValue: 0, description: 'From 0.' },
  { name: 'size', type: 'Int', list: false, defaultValue: 50, description: '1 to 1000.' },
  {
    name: 'query',
    type: 'String',
    list: false,
    description: 'Search expression on DR Key properties, and search properties of a data-store version.',
  },
  {
    name: 'sort',
    type: 'String',
    list: false,
    description: 'DR Key properties, and search properties of a data-store version; a leading `-` descends.',
  },
];

const assembling: readonly FieldArgument[] = [
  { name: 'zoneUuid', type: 'Uuid', list: false, description: "Asking zone. Default: the caller's default zone." },
  { name: 'drUuids', type: 'Uuid', list: true, description: 'Only these records.' },
  {
    name: 'additionalParameters',
    type: 'String',
    list: false,
    description: 'JSON-encoded object with further options of the assembler, for example `adaptors`.',
  },
];

/** Arguments of a record query field (docs/reference/graphql.md#record-types). */
export const queryArguments = (domainType: DomainType): readonly FieldArgument[] =>
  domainType === 'FEDERATED' ? [...paging, ...assembling] : paging;

const linking: readonly FieldArgument[] = [
  {
    name: 'query',
    type: 'String',
    list: false,
    description:
      'Search expression that selects linked records; `${property}` is a DR Key property of the record that refers.',
  },
];

const linkingMany: readonly FieldArgument[] = [
  ...linking,
  {
    name: 'sort',
    type: 'String',
    list: false,
    description: "DR Key properties, leading `-` for descending. Goes before the model's sort.",
  },
  { name: 'limit', type: 'Int', list: false, description: "0 to 1000. The model's limit holds too. Default: 1000." },
];

/** Arguments of a cross-reference field: a list can be sorted and cut. */
export const referenceArguments = ({ list }: Pick<ReferenceField, 'list'>): readonly FieldArgument[] =>
  list ? linkingMany : linking;
