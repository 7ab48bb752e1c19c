import { afterEach, describe, expect, it } from '@jest/globals';
import { openTracer } from './open-tracer.js';
import type { Tracer } from './tracer.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = (flags: string): string => `00-${traceId}-00f067aa0ba902b7-${flags}`;

describe('the tracer', () => {
  const before = { ...process.env };
  let opened: Tracer | undefined;
  const failures: Error[] = [];
  const open = async (environment: Readonly<Record<string, string | undefined>>): Promise<Tracer | undefined> => {
    // OpenTelemetry reads the variables of the process
    Object.assign(process.env, environment);
    const onFailure = (error: Error): void => void failures.push(error);
    opened = await openTracer({ environment, serviceName: 'test', serviceVersion: '1', onFailure });
    return opened;
  };
  afterEach(async () => {
    await opened?.close();
    for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
    Object.assign(process.env, before);
    failures.length = 0;
  });

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { OTEL_TRACES_SAMPLER: 'always_on' },
    { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ])('is off with %j', async (environment) => {
    expect(await open(environment)).toBeUndefined();
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  ])('is off with %j, and names the variable', async (environment, variable) => {
    expect(await open(environment)).toBeUndefined();
    expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining(variable)]);
  });

  it('continues a trace, and begins one only where it may', async () => {
    const tracer = await open(endpoint);
    expect(tracer?.start({ name: 'a' })).toBeUndefined();
    expect(tracer?.start({ name: 'a', parent: 'nonsense' })).toBeUndefined();
    const begun = tracer?.start({ name: 'a', parent: 'nonsense', mayBegin: true });
    expect(begun).toMatchObject({ isRecorded: true });
    const inner = begun?.run(() => {
      expect(tracer?.current()).toBe(begun);
      return tracer?.start({ name: 'b' });
    });
    expect(inner?.traceId).toBe(begun?.traceId);
    expect(tracer?.start({ name: 'c', parent: parent('01') })).toMatchObject({ traceId, isRecorded: true });
    // a malformed parent is not replaced by the work that happens to run
    begun?.run(() => expect(tracer?.start({ name: 'd', parent: '' })).toBeUndefined());
  });

  it('leaves out what the caller or the sampler left out, and passes that on', async () => {
    const tracer = await open({ ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
    expect(tracer?.start({ name: 'a', parent: parent('01') })).toMatchObject({ isRecorded: true });
    const left = tracer?.start({ name: 'a', mayBegin: true });
    expect(left).toMatchObject({ isRecorded: false, traceparent: expect.stringMatching(/-00$/) });
    left?.run(() => expect(tracer?.start({ name: 'b' })).toBeUndefined());
    expect(tracer?.start({ name: 'a', parent: parent('00'), mayBegin: true })).toMatchObject({
      traceId,
      isRecorded: false,
    });
  });

  it('keeps no more spans than the queue holds while the collector is away, reports it once, and closes in time', async () => {
    const tracer = await open({ ...endpoint, OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_SCHEDULE_DELAY: '10' });
    for (let count = 0; count < 5_000; count += 1) tracer?.start({ name: 'a', mayBegin: true })?.end();
    const began = performance.now();
    await tracer?.close();
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(failures).toHaveLength(1);
    expect(() => tracer?.start({ name: 'late', mayBegin: true })?.end()).not.toThrow();
  });
});
