/** Members of a message, valid or invalid. */
export type Members = Readonly<Record<string, unknown>>;

/** A malformed message: its `data`, and the members that replace those of its envelope. */
interface Mutant {
  readonly data: Members;
  readonly envelope: Members;
}

/** The record of a mutant. */
interface Subject {
  readonly domain: string;
  /** Unique per mutant. */
  readonly id: string;
}

type Mutation = (subject: Subject) => Mutant;

const recordOf = (id: string): Members => ({
  id,
  n: 1,
  note: 'a note',
  at: { city: 'Oslo', zip: 1 },
  lines: [{ text: 'one' }, { text: 'two' }],
});

const wrongValues: readonly unknown[] = [
  null,
  7,
  -1,
  1.5,
  'text',
  '',
  true,
  [],
  [1],
  {},
  { deep: { er: [1] } },
  '\u0000',
  '\ud800',
];

/** Functions that put the record into an event: as an object, as text, or as the key of a DELETE. */
const carriers: readonly ((record: Members) => Members)[] = [
  (json) => ({ action: 'POST', json }),
  (json) => ({ action: 'PUT', jsonData: JSON.stringify(json) }),
  (json) => ({ action: 'DELETE', drKey: { id: json['id'] } }),
];

const base = ({ domain, id }: Subject): Members => ({
  action: 'POST',
  domain,
  version: 1,
  createTime: 1,
  json: recordOf(id),
});

const without = (members: Members, name: string): Members =>
  Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));

const memberNames = [
  'action',
  'domain',
  'version',
  'createTime',
  'transactionUuid',
  'json',
  'jsonData',
  'drKey',
  'drUuid',
  'originTransactionUuid',
  'discovery',
  'seen',
];

const ofMembers: readonly Mutation[] = memberNames.flatMap((name): Mutation[] => [
  (subject) => ({ data: without(base(subject), name), envelope: {} }),
  ...wrongValues.map((value): Mutation => (subject) => ({ data: { ...base(subject), [name]: value }, envelope: {} })),
]);

const propertyNames = ['id', 'n', 'note', 'at', 'lines', 'NOTE', 'N', 'At', 'other', 'a/b', 'a~b', ''];

const changedRecords: readonly ((record: Members) => Members)[] = [
  ...propertyNames.flatMap((name) => [
    (record: Members): Members => without(record, name),
    ...wrongValues.map((value) => (record: Members): Members => {
      const { [name]: _, ...others } = without(record, name.toLowerCase());
      return { ...others, [name]: value };
    }),
  ]),
  (record) => ({ ...record, at: { zip: 'x' } }),
  (record) => ({ ...record, at: { city: 'Oslo', ZIP: 'x' } }),
  (record) => ({ ...record, lines: [{ text: 'one' }, { text: 2 }] }),
  (record) => ({ ...record, lines: [{ text: 'one', other: 1 }, 3] }),
];

const ofRecords: readonly Mutation[] = changedRecords.map((change, index): Mutation => (subject) => ({
  data: {
    domain: subject.domain,
    version: 1,
    createTime: 1,
    ...carriers[index % carriers.length]?.(change(recordOf(subject.id))),
  },
  envelope: {},
}));

const ofEnvelopes: readonly Mutation[] = [
  { specversion: '0.3' },
  { specversion: undefined },
  { type: 'fds.other.v1' },
  { type: 5 },
  { time: 'yesterday' },
  { id: undefined },
  { id: '\u0000' },
  { subject: {} },
  { data: undefined },
  { data: null },
  { data: 'text' },
  { data: [] },
  { data: [1] },
].map((envelope): Mutation => (subject) => ({ data: base(subject), envelope }));

/** Events with one wrong member each; a few of them are valid. */
export const eventMutations: readonly Mutation[] = [...ofMembers, ...ofRecords, ...ofEnvelopes];

/** Does a JSON pointer lead to a value, or to a missing member of an existing value? */
export const leadsSomewhere = (document: unknown, pointer: string): boolean => {
  if (pointer === '') return true;
  if (!pointer.startsWith('/')) return false;
  const segments = pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  let value: unknown = document;
  for (const [index, segment] of segments.entries()) {
    if (typeof value !== 'object' || value === null) return false;
    if (!Object.hasOwn(value, segment)) return index === segments.length - 1;
    value = (value as Members)[segment];
  }
  return true;
};
