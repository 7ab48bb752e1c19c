import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Operation, Schema } from '../../harness/contract/api-document.js';
import { contractOf } from '../../harness/contract/hold-to-contract.js';
import { sampleOf } from '../../harness/contract/sample-of.js';
import { exchange, type Sent } from '../../harness/exchange.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

const seed = Number(process.env['FDS_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const requestsEach = 25;
const budgetMs = 30_000;
const slowMs = 1000;

/** A request below `/api`. */
interface RandomRequest {
  readonly path: string;
  readonly sent: Sent;
}

/** Texts that have broken things before: controls, halves of surrogate pairs, members of every object, long digits. */
const nasty = fc.constantFrom(
  '',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  "'; drop table zones; --",
  '%',
  '%00',
  '../..',
  '9'.repeat(400),
  '-1',
  '1e999',
  '{}',
  'a:b,c:d',
  '"',
  '(((((((((('.repeat(50),
  'null',
  nobody,
);

const anyText = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }));

const anyJson = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.object({ maxDepth: 3, key: anyText, values: [anyText, fc.double(), fc.maxSafeInteger()] }),
  },
);

/** A value that is right, with some of its members replaced. */
const bent = (right: unknown): fc.Arbitrary<unknown> => {
  if (typeof right !== 'object' || right === null) return fc.oneof(fc.constant(right), anyText, anyJson);
  if (Array.isArray(right)) return fc.array(right.length === 0 ? anyJson : bent(right[0]), { maxLength: 3 });
  const members = Object.entries(right).map(([name, value]) => [name, bent(value)] as const);
  const own = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  return fc.tuple(own, fc.dictionary(anyText, anyJson, { maxKeys: 2 })).map(([some, more]) => ({ ...more, ...some }));
};

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

describe('random requests', () => {
  const { doors } = setUpDoors();
  let operations: readonly Operation[];
  let schemas: Readonly<Record<string, Schema>>;

  beforeAll(async () => {
    ({ operations, schemas } = await contractOf(doors.service.baseUrl));
  }, 120_000);

  const segmentOf = (segment: string): fc.Arbitrary<string> => {
    if (!segment.startsWith('{')) return fc.constant(segment);
    const uuid = fc.constantFrom(doors.root, nobody);
    return fc.oneof({ weight: 6, arbitrary: uuid }, { weight: 1, arbitrary: anyText.map(encodeText) });
  };

  /** As a path or query string carries it; half a surrogate pair has no encoding. */
  const encodeText = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')) || 'x';

  const queryOf = ({ parameters }: Operation): fc.Arbitrary<string> => {
    const names = parameters.filter((parameter) => parameter.in === 'query');
    const term = fc.oneof(
      anyText,
      ...names.flatMap(({ 'x-keys': keys = {} }) =>
        Object.entries(keys).map(([key, schema]) =>
          fc.oneof(anyText, fc.constant(String(sampleOf(schema, schemas)))).map((value) => `${key}:${value}`),
        ),
      ),
    );
    const name = fc.constantFrom('colour', '__proto__', ...names.map((parameter) => parameter.name));
    return fc
      .array(fc.tuple(name, fc.oneof(term, anyText)), { maxLength: 3 })
      .map((pairs) => pairs.map(([key, value]) => `${key}=${encodeText(value)}`).join('&'));
  };

  const bodyOf = ({ method, bodies }: Operation): fc.Arbitrary<Sent> => {
    if (method === 'GET') return fc.constant({});
    const schema = bodies['application/json']?.schema;
    const right = schema === undefined ? {} : sampleOf(schema, schemas);
    return fc.oneof(
      { weight: 5, arbitrary: bent(right).map((json) => ({ json })) },
      { weight: 1, arbitrary: anyText.map((text) => ({ text, headers: { 'content-type': 'application/json' } })) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((text) => ({ text })) },
    );
  };

  const requestOf = (operation: Operation): fc.Arbitrary<RandomRequest> =>
    fc
      .tuple(
        fc.tuple(...operation.path.split('/').slice(1).map(segmentOf)),
        queryOf(operation),
        bodyOf(operation),
        headers,
      )
      .map(([segments, query, body, more]) => ({
        path: `/${segments.join('/')}${query === '' ? '' : `?${query}`}`,
        sent: { method: operation.method, ...body, headers: { ...body.headers, ...more } },
      }));

  it(`are answered as documented, soon, and never with a failure (FDS_FUZZ_SEED=${seed})`, async () => {
    // what DELETE takes away would be missed by the others
    const fuzzed = operations.filter(({ method }) => method !== 'DELETE');
    const slow: string[] = [];
    const ask = async ({ path, sent }: RandomRequest, token: string | undefined): Promise<number> => {
      const begins = performance.now();
      const signed = token === undefined ? sent : { ...sent, token };
      const { status, text } = await exchange(`${doors.service.baseUrl}/api${path}`, signed);
      if (status >= 500) throw new Error(`${sent.method} ${path}: ${status} ${text}`);
      return performance.now() - begins;
    };
    const askSoon = async (random: RandomRequest, token: string | undefined): Promise<void> => {
      if ((await ask(random, token)) <= slowMs) return;
      // a busy machine is slow once, what is hard to answer is slow again
      const took = await ask(random, token);
      if (took > slowMs) slow.push(`${random.sent.method} ${random.path} took ${took} ms, twice`);
    };
    for (const operation of fuzzed) {
      const token = fc.constantFrom(doors.admin.token, doors.dgs.token);
      // one request at least, and then as many as its share of the time allows: a slow machine asks less, not in vain
      const ends = performance.now() + budgetMs / fuzzed.length;
      let asked = 0;
      const askInTime = async (random: RandomRequest, token: string | undefined): Promise<void> => {
        if (asked > 0 && performance.now() > ends) return;
        asked += 1;
        await askSoon(random, token);
      };
      await fc.assert(fc.asyncProperty(requestOf(operation), token, askInTime), { seed, numRuns: requestsEach });
    }
    expect(slow).toEqual([]);
  }, 120_000);
});
