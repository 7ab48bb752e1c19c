import fc from 'fast-check';
import type { FuzzTarget } from '../fuzz-target.js';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { askHttp } from '../values/ask-http.js';
import { anyJson, anyText, bent, slightlyBent } from '../values/hostile-values.js';

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('id', 'ID', 'a', 'b-c', 'b_c', 'inner') },
  fc.constantFrom('__proto__', 'constructor', '_dr', '_fds1', '', 'a/b~c'),
  anyText,
);

const keyword = fc.oneof(
  fc.tuple(
    fc.constantFrom('minLength', 'maxLength', 'min', 'max', 'minimum', 'maximum', 'minItems', 'maxItems', 'limit'),
    fc.oneof(fc.integer(), fc.double(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })),
  ),
  fc.tuple(
    fc.constantFrom('pattern', 'query', 'sort', 'format', 'title', '$ref', 'default'),
    fc.oneof(anyText, anyJson),
  ),
  fc.tuple(fc.constantFrom('enum', 'data', 'required', 'items', 'properties', 'multivalued'), anyJson),
  fc.constantFrom<[string, unknown]>(
    ['pattern', '(a+)+$'],
    ['pattern', '(?=a)'],
    ['$ref', '/domains/store:v1'],
    ['$ref', '/domains/store:v1/id'],
    ['query', 'id:${id}'],
  ),
);

const { schema } = fc.letrec<{ node: unknown; schema: object }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc
      .tuple(
        fc.constantFrom('string', 'integer', 'number', 'boolean', 'int', 'long', 'uri', 'enum', 'array', 'object', 'x'),
        fc.array(keyword, { maxLength: 3 }),
      )
      .map(([type, keywords]) => ({ type, ...Object.fromEntries(keywords) })),
    tie('schema'),
    tie('schema').map((items) => ({ type: 'array', items })),
    anyJson,
  ),
  schema: fc
    .array(fc.tuple(name, tie('node')), { minLength: 1, maxLength: 5 })
    .map((entries) => ({ type: 'object', properties: Object.fromEntries(entries) })),
}));

const matchingAlgorithm = slightlyBent({
  type: 'SCORED',
  rules: [{ all: [{ property: 'id', comparator: 'PREFIX', length: 2 }] }],
  scores: [{ property: 'id', comparator: 'FUZZY', maxEdits: 2, weight: 1 }],
  thresholds: { match: 2, review: 1 },
  onReview: 'HOLD',
});

const body = fc.record(
  {
    modelSchema: fc.oneof({ weight: 5, arbitrary: schema }, anyJson),
    drKeyProperties: fc.oneof({ weight: 4, arbitrary: fc.constant(['id']) }, bent(['id'])),
    searchProperties: bent(['a']),
    matchingAlgorithm: fc.oneof(matchingAlgorithm, anyJson),
    description: anyText,
  },
  { requiredKeys: ['modelSchema', 'drKeyProperties'] },
);

/** Domain versions that are only validated: model schemas and matching algorithms. */
export const domainVersions = ({ doors: { service, dgs }, store }: FuzzStage): FuzzTarget => ({
  name: 'models',
  cases: body.map((json) =>
    askHttp({
      url: `${service.baseUrl}/api/domains/${store.domainUuid}/versions?validate-only=true`,
      sent: { method: 'POST', json, ...(dgs.token === undefined ? {} : { token: dgs.token }) },
    }),
  ),
});
