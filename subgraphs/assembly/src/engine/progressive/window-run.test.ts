import { describe, expect, it } from '@jest/globals';
import type { AssembledRecord, ReleasePolicy, Tier } from '@fds/assembly-contract';
import { canonicalJson, isJsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { planMerge } from '../../domain/merge-plan.js';
import { isRecordReleased } from '../../domain/release-policy.js';
import { readRequestedProperties } from '../../domain/requested-properties.js';
import type { SentRecord, SentRecords } from '../../domain/source.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import { openGathering, type Enquiry } from '../gathering.js';
import { createRecordMerger } from '../record-merger.js';
import { createWindowRun } from './window-run.js';

const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      phone: { type: 'string' },
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    propertyGroups: [['name', 'phone']],
  },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model of the test does not compile');
const plan = planMerge(readRequestedProperties(undefined, model.properties), model);

const recordUuids = ['r0', 'r1', 'r2', 'r3'];
const records = recordUuids.map((uuid, id): CataloguedRecord => ({
  uuid,
  drKey: { id },
  json: null,
  lastUpdated: 0,
  keyHolder: null,
  holdings: new Map(),
}));

/** MergePatch of RFC 7396, section 2. */
const applyPatch = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isJsonObject(patch)) return patch;
  const members = new Map<string, JsonValue | undefined>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else if (value !== undefined) members.set(name, applyPatch(members.get(name), value));
  }
  return Object.fromEntries(members);
};

const text = fc.constantFrom<JsonValue>(null, 'x', 'y');
const data = fc.record<Record<string, JsonValue>>(
  {
    id: fc.constantFrom<JsonValue>(0, 1),
    name: text,
    phone: text,
    address: fc.oneof(fc.constant(null), fc.record({ street: text, city: text }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);
const sent = fc.record({ drUuid: fc.constantFrom(...recordUuids), data: fc.option(data), lastUpdated: fc.nat(2) });

const scenario = fc.record({
  policy: fc.constantFrom<ReleasePolicy>('GOLD', 'GOLD_SILVER', 'ASAP'),
  sources: fc.array(
    fc.record({
      tier: fc.constantFrom<Tier>('GOLD', 'SILVER', 'BRONZE'),
      holds: fc.subarray(recordUuids, { minLength: 1 }),
      fate: fc.constantFrom('ANSWERS', 'ANSWERS', 'ANSWERS', 'FAILS', 'LATE', 'DOWN'),
      records: fc.array(sent, { maxLength: 5 }),
      /** Order of the answers. */
      turn: fc.nat(20),
      /** Does the client read right after this answer, or only later? */
      isReadAfter: fc.boolean(),
    }),
    { maxLength: 5 },
  ),
  provenance: fc.boolean(),
});

describe('the lines of a window', () => {
  it('result in the plain answer at the time-out, regardless of answers, failures and delays, with each record at its release', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ policy, sources, provenance }) => {
        const enquiries = sources.map(({ tier, holds, fate }, index): Enquiry => ({
          source: { adaptorUuid: `a${index}`, name: `A${index}`, zoneUuid: 'z', zoneName: 'Z', tier },
          recordUuids: new Set(holds),
          down: fate === 'DOWN',
        }));
        const settles = new Map<string, { resolve: (sent: SentRecords) => void; reject: (reason: unknown) => void }>();
        let timeOut = (): void => undefined;
        const gathering = openGathering(enquiries, {
          policy,
          recordUuids,
          timeoutMs: 60_000,
          startTimer: (end) => {
            timeOut = end;
            return () => undefined;
          },
          signal: new AbortController().signal,
          ask: ({ source }) =>
            new Promise((resolve, reject) => {
              settles.set(source.adaptorUuid, { resolve, reject });
            }),
          onFailure: () => undefined,
        });
        const merge = createRecordMerger({
          policy,
          plan,
          provenance,
          timestampSearch: undefined,
          visible: () => ({ extent: 'ALL', has: () => true }),
          restriction: undefined,
        });
        const scope = { request: { releasePolicy: policy } };
        const window = { gathering, merge, denied: [] };
        const run = createWindowRun(scope, window, records, 10, undefined, () => undefined);
        const client: JsonValue[] = [];
        const read = async (): Promise<void> => {
          for (const line of await run.takeLines()) {
            const place = line.index - 10;
            if ('record' in line) client[place] = { ...line.record };
            else {
              expect(Object.keys(line.patch)).not.toEqual([]);
              expect(isJsonObject(client[place]) && client[place]['uuid']).toBe(line.uuid);
              client[place] = applyPatch(client[place], line.patch);
            }
          }
          for (const [place, uuid] of recordUuids.entries()) {
            const isDue = gathering.isOver() || isRecordReleased(policy, gathering.gathered(), uuid);
            expect(client[place] !== undefined).toBe(isDue);
          }
        };
        try {
          await read();
          const inTurn = [...sources.entries()].toSorted(([, one], [, other]) => one.turn - other.turn);
          for (const [index, { fate, records: answer, isReadAfter, holds }] of inTurn) {
            const asked = settles.get(`a${index}`);
            if (fate === 'FAILS') asked?.reject(new Error('cannot'));
            const held = answer.filter(({ drUuid }) => holds.includes(drUuid));
            if (fate === 'ANSWERS') {
              asked?.resolve(new Map(held.map((one): [string, SentRecord] => [one.drUuid, one])));
            }
            // the gathering receives the answer in a later microtask
            await new Promise(setImmediate);
            if (isReadAfter) await read();
          }
          timeOut();
          await read();
          expect(run.isOver()).toBe(true);
          const plain: readonly AssembledRecord[] = merge(records, gathering.gathered());
          expect(client.map(canonicalJson)).toEqual(plain.map((record) => canonicalJson({ ...record })));
          expect(await run.takeLines()).toEqual([]);
        } finally {
          run.close();
        }
      }),
      { numRuns: casesOf(600) },
    );
  }, 120_000);
});
