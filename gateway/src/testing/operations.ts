import { adaptorUuids } from './sample-subgraphs.js';

/** An operation to which the stock and the stitched gateway must give the same answer. */
export interface SampleOperation {
  readonly about: string;
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const zone = 'aaaaaaaa-0000-7000-8000-00000000000a';

/** The record types `dr_customer_1` (refers to `dr_invoice_1`) and `dr_invoice_1` must exist. */
export const sampleOperations: readonly SampleOperation[] = [
  {
    about: 'one subgraph',
    document: '{ zones { data { uuid name changeVersion dateCreated } page { totalElements } } }',
  },
  {
    about: 'several subgraphs side by side',
    document: '{ zones { page { page } } caller { username sub } dataRecords { data { drKey } } }',
  },
  { about: 'an entity join', document: '{ adaptors { data { name linkageCount } } }' },
  {
    about: 'an entity join below a variable',
    document: `query ($a: Uuid!) { adaptor(zoneUuid: "${zone}", adaptorUuid: $a) { linkageCount zone { name } } }`,
    variables: { a: adaptorUuids[0] },
  },
  { about: 'an entity join alone', document: '{ adaptors { data { linkageCount } } }' },
  { about: 'aliases', document: '{ a: zones { rows: data { id: uuid } } b: zones { data { n: name } } }' },
  {
    about: 'fragments',
    document:
      'fragment Z on Zone { uuid ...N } fragment N on Zone { name } { zones { data { ...Z } } adaptors { data { zone { ...Z } } } }',
  },
  { about: 'inline fragments', document: '{ adaptors { data { ... on Adaptor { name ... { linkageCount } } } } }' },
  {
    about: 'skip and include, taken',
    document:
      'query ($s: Boolean!, $i: Boolean!) { adaptors { data { name @skip(if: $s) linkageCount @include(if: $i) } } }',
    variables: { s: false, i: true },
  },
  {
    about: 'skip and include, not taken',
    document:
      'query ($s: Boolean!, $i: Boolean!) { adaptors { data { uuid name @skip(if: $s) linkageCount @include(if: $i) } } }',
    variables: { s: true, i: false },
  },
  ...[true, false].map((shown) => ({
    about: `include and skip in one subgraph, ${shown ? 'taken' : 'not taken'}`,
    document:
      'query ($i: Boolean!, $s: Boolean = false) { zones @include(if: $i) { data { ...Z } } other: zones { data { uuid name @include(if: $i) description @skip(if: $s) @include(if: $i) } page @skip(if: $i) { page } } } fragment Z on Zone { uuid name @skip(if: $s) }',
    variables: { i: shown },
  })),
  {
    about: 'a field with a directive and without',
    document: 'query ($i: Boolean!) { zones { data { name @include(if: $i) uuid name } } }',
    variables: { i: false },
  },
  {
    about: 'a fragment with a directive',
    document: 'query ($i: Boolean!) { zones { data { uuid ... @include(if: $i) { name } } } }',
    variables: { i: false },
  },
  {
    about: 'a variable with a default',
    document: 'query ($w: Boolean = true) { adaptors { data { uuid linkageCount @include(if: $w) } } }',
  },
  {
    about: '__typename everywhere',
    document: '{ __typename adaptors { __typename data { __typename linkageCount } } }',
  },
  { about: 'a mutation', document: 'mutation { createZone(input: { name: "North" }) { name uuid } }' },
  {
    about: 'mutations in order, of several subgraphs',
    document:
      'mutation { a: createZone(input: { name: "A" }) { name } createDataRecord(input: { json: "{}" }) { uuid } b: createZone(input: { name: "B" }) { name } }',
  },
  {
    about: 'a mutation with an entity join',
    document:
      'mutation ($m: Json) { createAdaptor(zoneUuid: "0190c000-0000-7000-8000-00000000000a", input: { metadata: $m }) { adaptor { linkageCount metadata } clientId } }',
    variables: { m: { a: 1 } },
  },
  {
    about: 'an input object as JSON',
    document: 'query ($r: AssemblyRequestInput!) { assemble(request: $r) { response } }',
    variables: { r: { domain: 'customer', size: 3, additionalParams: { a: [1, 'b', null] } } },
  },
  { about: 'a record type', document: '{ dr_customer_1 { data { id name big ratio since } page { totalElements } } }' },
  {
    about: 'metadata of records',
    document:
      '{ dr_customer_1(page: 0, size: 2) { data { _dr { uuid dateCreated drKey adaptors { name } status } } } }',
  },
  {
    about: 'enums of a record and of the records that it refers to',
    document: '{ dr_customer_1 { data { state mine: state relatedStates related { state } } } }',
  },
  { about: 'the values of an enum', document: '{ __type(name: "dr_customer_1__state") { kind enumValues { name } } }' },
  { about: 'nested objects', document: '{ dr_customer_1 { data { address { city } tags { label } } } }' },
  { about: 'a cross-reference', document: '{ dr_customer_1 { data { name related { name big } } } }' },
  {
    about: 'a cross-reference with an argument',
    document:
      'query ($q: String) { dr_customer_1(query: "a:1", sort: "-id") { data { related(query: $q) { id related: name } } } }',
    variables: { q: 'id:${id}' },
  },
  {
    about: 'cross-references that are sorted and cut',
    document:
      'query ($l: Int) { dr_customer_1 { data { related(sort: "-id", limit: 1) { id } all: related(limit: $l) { id } none: related(limit: 0) { id } } } }',
    variables: { l: 2 },
  },
  {
    about: 'cross-references to one, to a property, and in a list of objects',
    document:
      '{ dr_customer_1 { data { best(query: "x") { id big } relatedNames(limit: 1) tags { label best { address { city } } } } } }',
  },
  {
    about: 'a cross-reference in a fragment and again with other arguments',
    document:
      'fragment R on dr_customer_1 { related(limit: 1) { id } two: related(limit: 2) { ...I } } fragment I on dr_invoice_1 { id name } { dr_customer_1 { data { ...R related(limit: 1) { name } } } }',
  },
  {
    about: 'record types together with static fields',
    document: '{ dr_invoice_1 { data { id } } adaptors { data { linkageCount } } caller { username } }',
  },
  {
    about: 'two record types with fragments',
    document:
      'fragment C on dr_customer_1 { name } fragment I on dr_invoice_1_page { data { name } } { dr_customer_1 { data { ...C } } dr_invoice_1 { ...I } }',
  },
  {
    about: 'the type name of records',
    document: '{ dr_customer_1 { __typename data { __typename address { __typename } } } }',
  },
  {
    about: 'introspection of a type',
    document:
      '{ __type(name: "dr_customer_1") { name kind fields { name type { name kind ofType { name } } args { name defaultValue } } } }',
  },
  {
    about: 'introspection together with data',
    document: '{ __schema { queryType { name } } zones { data { name } } }',
  },
  {
    about: 'a refusal in a list',
    document: 'query ($a: Uuid!) { zones { data { name } } adaptor(zoneUuid: $a, adaptorUuid: $a) { name } }',
    variables: { a: zone },
  },
  {
    about: 'a typed input in the document: null, absent, enums, lists',
    document: `mutation { create_dr_invoice_1(input: { id: 1, name: null, big: 5, ratio: 1.5, state: closed,
      since: "2026-01-02T03:04:05+02:00", address: { city: null }, tags: [{ label: "a" }, null] }) { uuid json } }`,
  },
  {
    about: 'a typed input in variables',
    document: `mutation ($i: input_dr_customer_1!, $s: dr_invoice_1__state, $v: Long) {
      one: create_dr_customer_1(input: $i) { json } two: update_dr_invoice_1(drUuid: "${zone}", input: { state: $s, big: $v }) { json }
      three: delete_dr_invoice_1(drUuid: "${zone}", changeVersion: $v) { drUuid } }`,
    variables: {
      i: {
        big: 9_223_372_036_854_775_807n,
        name: null,
        state: 'OPEN',
        tags: [{ label: null, best: { drKey: '[1]' } }],
        best: { uuid: zone },
        related: [{ ref: '/drs/1' }],
      },
      s: 'closed',
      v: '9007199254740993',
    },
  },
  {
    about: 'an input type',
    document: '{ __type(name: "input_dr_invoice_1") { kind inputFields { name type { name } } } }',
  },
  { about: 'a mutation that is refused', document: 'mutation { createZone(input: { name: "" }) { name } }' },
  {
    about: 'an enum argument',
    document: '{ adaptors(state: STARTED, action: GET) { data { state capabilities { action direction } } } }',
  },
  {
    about: 'the exact ends of Long',
    document: '{ dr_customer_1 { data { big } } adaptors { data { changeVersion linkageCount metadata } } }',
  },
];
