import fc from 'fast-check';
import { nobody } from '../../doors/unique-name.js';
import type { Operation, Schema } from '../../harness/contract/api-document.js';
import { contractOf } from '../../harness/contract/hold-to-contract.js';
import { sampleOf } from '../../harness/contract/sample-of.js';
import type { Sent } from '../../harness/exchange.js';
import type { Doors } from '../../doors/open-doors.js';
import type { FuzzCase } from '../fuzz-target.js';
import { askHttp } from '../values/ask-http.js';
import { anyText, bent, encodeText } from '../values/hostile-values.js';

const headerValue = fc.oneof(
  fc.constantFrom('*', '"1"', 'W/"1"', '1', '""', ',', 'application/json', 'image/*;q=0', 'gzip', 'x'.repeat(300)),
  fc.stringMatching(/^[\u0020-\u007e]{0,30}$/),
);

const headers = fc.dictionary(
  fc.constantFrom(
    'if-match',
    'if-none-match',
    'idempotency-key',
    'accept',
    'x-request-id',
    'content-type',
    'content-encoding',
  ),
  headerValue,
  { maxKeys: 2 },
);

const segmentOf = (segment: string, root: string): fc.Arbitrary<string> => {
  if (!segment.startsWith('{')) return fc.constant(segment);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(root, nobody) },
    { weight: 1, arbitrary: anyText.map(encodeText) },
  );
};

const queryOf = ({ parameters }: Operation, schemas: Readonly<Record<string, Schema>>): fc.Arbitrary<string> => {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const terms = inQuery.flatMap(({ 'x-keys': keys = {} }) =>
    Object.entries(keys).map(([key, schema]) =>
      fc.oneof(anyText, fc.constant(String(sampleOf(schema, schemas)))).map((value) => `${key}:${value}`),
    ),
  );
  const name = fc.constantFrom('colour', '__proto__', ...inQuery.map((parameter) => parameter.name));
  return fc
    .array(fc.tuple(name, fc.oneof(anyText, ...terms)), { maxLength: 3 })
    .map((pairs) => pairs.map(([key, value]) => `${key}=${encodeText(value)}`).join('&'));
};

const bodyOf = ({ method, bodies }: Operation, schemas: Readonly<Record<string, Schema>>): fc.Arbitrary<Sent> => {
  if (method === 'GET') return fc.constant({});
  const schema = bodies['application/json']?.schema;
  const valid = schema === undefined ? {} : sampleOf(schema, schemas);
  return fc.oneof(
    { weight: 5, arbitrary: bent(valid).map((json) => ({ json })) },
    { weight: 1, arbitrary: anyText.map((text) => ({ text, headers: { 'content-type': 'application/json' } })) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((text) => ({ text })) },
  );
};

/** Random requests of one documented operation. */
export interface FuzzedOperation {
  readonly operationId: string;
  readonly cases: fc.Arbitrary<FuzzCase>;
}

/** Every documented operation except DELETE, because a deletion removes resources that other cases need. */
export const fuzzedOperations = async ({ service, root, admin, dgs }: Doors): Promise<readonly FuzzedOperation[]> => {
  const { operations, schemas } = await contractOf(service.baseUrl);
  return operations
    .filter(({ method, door }) => method !== 'DELETE' && door === 'api')
    .map((operation) => ({
      operationId: operation.operationId,
      cases: fc
        .tuple(
          fc.tuple(
            ...operation.path
              .split('/')
              .slice(1)
              .map((segment) => segmentOf(segment, root)),
          ),
          queryOf(operation, schemas),
          bodyOf(operation, schemas),
          headers,
          fc.constantFrom(admin.token, dgs.token),
        )
        .map(([segments, query, body, more, token]) =>
          askHttp({
            url: `${service.baseUrl}/api/${segments.join('/')}${query === '' ? '' : `?${query}`}`,
            sent: {
              method: operation.method,
              ...body,
              headers: { ...body.headers, ...more },
              ...(token === undefined ? {} : { token }),
            },
          }),
        ),
    }));
};
