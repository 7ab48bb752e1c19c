import { deepStrictEqual } from 'node:assert/strict';
import { compileDataAccess, type AccessRule, compileGrants, type Grant } from '@fds/access-rules';
import { learnExchange } from '../load/learn-exchange.js';
import type { Row } from '../row.js';
import { spreadOf, type Spread } from '../../measure/spread.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { onStage } from '../stage/open-stage.js';

const count = 1_000;
const rounds = 7;
const asksPerRound = 200_000;
const connections = 16;

const uuidOf = (kind: number, index: number): string =>
  `00000000-0000-7000-8${String(kind).padStart(3, '0')}-${String(index).padStart(12, '0')}`;

/** Processor time of one check in microseconds. @throws Error when an answer is wrong */
const timeAsks = (signal: AbortSignal, ask: (index: number) => boolean, right: (index: number) => boolean): Spread => {
  for (let index = 0; index < 2 * count; index += 1)
    if (ask(index) !== right(index)) throw new Error(`question ${index} has a wrong answer`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted();
    let yes = 0;
    const from = process.cpuUsage();
    for (let index = 0; index < asksPerRound; index += 1) yes += ask(index) ? 1 : 0;
    const { user, system } = process.cpuUsage(from);
    times.push((user + system) / asksPerRound);
    if (yes === 0) throw new Error('nothing was allowed');
  }
  return spreadOf(times);
};

const written = ({ median, min, max }: Spread): string =>
  `${median.toFixed(2)} us of processor time (${min.toFixed(2)}-${max.toFixed(2)})`;

/** One thousand grants of all forms. Every second check is about a path without a grant. */
const timeGrants = (signal: AbortSignal): string => {
  const zone = (index: number): string => `/zones/${uuidOf(1, index)}`;
  const forms: readonly ((index: number) => string)[] = [
    (index) => `${zone(index)}/users`,
    (index) => `${zone(index)}/roles/?`,
    (index) => `${zone(index)}/groups/*`,
    (index) => `${zone(index)}/*/issues`,
  ];
  const asked: readonly ((index: number) => string)[] = [
    (index) => `${zone(index)}/users`,
    (index) => `${zone(index)}/roles/${uuidOf(2, index)}`,
    (index) => `${zone(index)}/groups/${uuidOf(3, index)}/users`,
    (index) => `${zone(index)}/adaptors/${uuidOf(4, index)}/issues`,
  ];
  const of = (all: typeof forms, index: number): string => all[index % all.length]?.(index) ?? '';
  const grants = Array.from({ length: count }, (_, index): Grant => ({ action: 'GET', resource: of(forms, index) }));
  const from = performance.now();
  const compiled = compileGrants(grants);
  const compileMs = performance.now() - from;
  const paths = Array.from({ length: 2 * count }, (_, index) => of(asked, index));
  const ask = (index: number): boolean => compiled.permits('GET', paths[index % paths.length] ?? '');
  const spread = timeAsks(signal, ask, (index) => index < count);
  return `a permission check with ${count} grants ${written(spread)}; compiled once in ${compileMs.toFixed(1)} ms`;
};

/** One thousand rules that each name a record. Every second check is about a record without a rule. */
const timeRules = (signal: AbortSignal): string => {
  const rules = Array.from({ length: count }, (_, index): AccessRule => ({
    effect: 'ALLOW',
    actions: ['GET'],
    zoneUuid: null,
    adaptorUuid: null,
    domainUuid: uuidOf(5, 0),
    domainVersionUuid: null,
    properties: [`property${index % 20}`],
    drUuids: [uuidOf(6, index)],
  }));
  const properties = Array.from({ length: 20 }, (_, index) => ({ name: `property${index}` }));
  const [uuid, domainUuid, zoneUuid] = [uuidOf(7, 0), uuidOf(5, 0), uuidOf(1, 0)];
  const version = { uuid, domainUuid, zoneUuid, model: { properties } };
  const recordUuids = Array.from({ length: 2 * count }, (_, index) => uuidOf(6, index));
  const from = performance.now();
  const access = compileDataAccess([rules], new Map());
  const isSeen = (index: number): boolean =>
    access.of('GET', version).own.of(recordUuids[index % recordUuids.length] ?? '').extent !== 'NONE';
  isSeen(0);
  const firstMs = performance.now() - from;
  const spread = timeAsks(signal, isSeen, (index) => index < count);
  return `data access of one record with ${count} rules ${written(spread)}; compiled and first asked in ${firstMs.toFixed(1)} ms`;
};

/** For information: the cost of access control. */
export const accessCosts: Row = {
  id: 19,
  what: 'An authorised request, GET /api/token',
  comparedWith: 'GET /health/live of the same service',
  figures: [],
  run: (signal) =>
    onStage(signal, async ({ leftovers, service, authorization }) => {
      const origin = service.baseUrl;
      const headers = { authorization };
      const token = await learnExchange(origin, { method: 'GET', path: '/api/token', headers }, (body) =>
        deepStrictEqual((body as { readonly username?: unknown }).username, 'dgs'),
      );
      const health = await learnExchange(origin, { method: 'GET', path: '/health/live', headers: {} }, (body) =>
        deepStrictEqual((body as { readonly status?: unknown }).status, 'UP'),
      );
      const { values, notes } = await compareUnderLoad(leftovers, {
        service: { origin, connections, exchanges: [token] },
        other: { origin, connections, exchanges: [health] },
      });
      const { median = Number.NaN, min = 0, max = 0 } = values[''] ?? {};
      const ratio = `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)}) of the answers of the health call`;
      return { values: {}, notes: [`${ratio}: ${notes.join('; ')}`, timeGrants(signal), timeRules(signal)] };
    }),
};
