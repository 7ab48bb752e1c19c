import { AppError, checkChangeVersion, FaultList, requireNotStale } from '@fds/errors';
import { parseJson } from '@fds/json';
import { compileModelSchema, type CompiledModel } from '@fds/model-schema';
import { describe, expect, it } from '@jest/globals';
import { readAdaptor } from './adaptors/adaptor.js';
import { readCapabilities, readMetadata } from './adaptors/capabilities.js';
import { noMetadata, readSecretMetadata } from './secrets/read-secret-metadata.js';
import { checkPatch, domainNameKey, readDomain, requireTypeKept } from './domains/domain.js';
import { patchedVersionInput, type DomainVersion } from './versions/domain-version.js';
import { checkModification } from './models/modification-rules.js';
import { readZone, requireNoCycle } from './zones/zone.js';

const causesOf = (read: (faults: FaultList) => unknown): string[] => {
  const faults = new FaultList();
  read(faults);
  return faults.causes.map((cause) => `${cause.pointer} ${cause.code}`);
};

const codeOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};

describe('zones', () => {
  it.each([
    [{ name: 'North' }, []],
    [{}, ['/name REQUIRED']],
    [{ name: 'N' }, ['/name OUT_OF_RANGE']],
    [{ name: 'x'.repeat(129) }, ['/name OUT_OF_RANGE']],
    [{ name: '   ' }, ['/name OUT_OF_RANGE']],
    [{ name: 'a\u0000b' }, ['/name INVALID_CHARACTER']],
    [{ name: 'North', geoCoordinates: '52.5,13.4' }, []],
    [{ name: 'North', geoCoordinates: '91,0' }, ['/geoCoordinates WRONG_FORMAT']],
    [{ name: 'North', reconcile: { everyHours: 24 } }, []],
    [{ name: 'North', reconcile: { everyHours: 0 } }, ['/reconcile/everyHours OUT_OF_RANGE']],
    [{ name: 'North', reconcile: { everyHours: 8_761 } }, ['/reconcile/everyHours OUT_OF_RANGE']],
    [{ name: 'North', adminUserUuids: ['a'], dataStewardUserUuids: [] }, ['/dataStewardUserUuids OUT_OF_RANGE']],
    [{ name: 'N', geoCoordinates: 'there' }, ['/geoCoordinates WRONG_FORMAT', '/name OUT_OF_RANGE']],
  ])('%j has the faults %j', (input, faults) => {
    expect(causesOf((list) => readZone(input, undefined, list))).toEqual(faults);
  });

  it('a replacement without a parent does not move the zone, and a replacement with the parent null does', () => {
    const current = readZone({ name: 'North', parentZoneUuid: 'p', active: false }, undefined, new FaultList());
    expect(readZone({ name: 'South' }, current, new FaultList())).toMatchObject({ parentZoneUuid: 'p', active: false });
    expect(readZone({ name: 'South', parentZoneUuid: null }, current, new FaultList()).parentZoneUuid).toBeNull();
  });

  it('names holders only when it is created', () => {
    const current = readZone({ name: 'North' }, undefined, new FaultList());
    expect(causesOf((list) => readZone({ name: 'North', adminUserUuids: ['a'] }, current, list))).toEqual([
      '/adminUserUuids NOT_ALLOWED',
    ]);
  });

  it('can never be moved below itself', () => {
    expect(codeOf(() => requireNoCycle('a', ['c', 'b', 'a']))).toBe('CONFLICT');
    expect(codeOf(() => requireNoCycle('a', ['c', 'b']))).toBeUndefined();
  });
});

describe('changeVersion', () => {
  it.each([
    [undefined, 'CHANGE_VERSION_REQUIRED'],
    [null, 'CHANGE_VERSION_REQUIRED'],
    [1, 'STALE_CHANGE_VERSION'],
    [2n ** 62n, 'STALE_CHANGE_VERSION'],
    [3, undefined],
    [3n, undefined],
  ])('%s compared with 3 gives %s', (given, code) => {
    const required = (): void => {
      const faults = new FaultList();
      checkChangeVersion(given, 3, faults);
      faults.throwIfAny();
    };
    expect(codeOf(required)).toBe(code);
    // the argument may be missing
    expect(codeOf(() => requireNotStale(given, 3))).toBe(code === 'CHANGE_VERSION_REQUIRED' ? undefined : code);
  });

  it('that is missing is one of several causes', () => {
    const faults = new FaultList();
    checkChangeVersion(undefined, 3, faults);
    readZone({ name: 'N' }, undefined, faults);
    expect(() => faults.throwIfAny()).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
    expect(faults.causes.map(({ pointer }) => pointer)).toEqual(['/changeVersion', '/name']);
  });
});

describe('capabilities and metadata', () => {
  const capability = { domainName: 'customer', versionNumber: 1, action: 'POST' };

  it('are accepted as native JSON and as JSON-encoded text', () => {
    const faults = new FaultList();
    const native = readCapabilities('/capabilities', [capability], faults);
    expect(readCapabilities('/capabilities', JSON.stringify([capability]), faults)).toEqual(native);
    expect(native).toEqual([{ ...capability, direction: null }]);
    expect(readMetadata('/metadata', '{"big": 9223372036854775807}', faults)).toEqual({ big: 9223372036854775807n });
    expect(faults.isEmpty).toBe(true);
  });

  it.each([
    ['text', ['/capabilities INVALID_TYPE']],
    [[1], ['/capabilities/0 INVALID_TYPE']],
    [[{ ...capability, action: 'READ' }], ['/capabilities/0/action UNKNOWN_VALUE']],
    [[capability, { ...capability, versionNumber: 0 }], ['/capabilities/1/versionNumber OUT_OF_RANGE']],
    [[{ ...capability, versionNumber: 2 ** 31 }], ['/capabilities/0/versionNumber OUT_OF_RANGE']],
    [[{ ...capability, direction: 'UP' }], ['/capabilities/0/direction UNKNOWN_VALUE']],
    [[{ ...capability, colour: 1 }], ['/capabilities/0/colour UNKNOWN_PROPERTY']],
    [[capability, { ...capability, direction: 'IN' }, { ...capability, action: 'GET' }], []],
    [[capability, { ...capability, domainName: 'CUSTOMER', direction: null }], ['/capabilities/1 DUPLICATE']],
    [[{ ...capability, domainName: 'a\u0000' }], ['/capabilities/0/domainName WRONG_FORMAT']],
  ])('%j has the faults %j', (value, faults) => {
    expect(causesOf((list) => readCapabilities('/capabilities', value, list))).toEqual(faults);
  });

  it('may not exceed the size of a message to the adaptor', () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ ...capability, versionNumber: index + 1 }));
    const faultsOf = (read: (list: FaultList) => unknown): string => causesOf(read).join();
    expect(faultsOf((list) => readCapabilities('/capabilities', many, list))).toBe('/capabilities TOO_LARGE');
    expect(faultsOf((list) => readCapabilities('/capabilities', many.slice(0, 1000), list))).toBe('');
    const metadata = (length: number) => ({ text: 'ä'.repeat(length) });
    expect(faultsOf((list) => readSecretMetadata('/metadata', metadata(50_000), [], noMetadata, list))).toBe(
      '/metadata TOO_LARGE',
    );
    expect(faultsOf((list) => readSecretMetadata('/metadata', metadata(49_000), [], noMetadata, list))).toBe('');
  });

  it('metadata is an object', () => {
    expect(causesOf((list) => readMetadata('/metadata', [1], list))).toEqual(['/metadata INVALID_TYPE']);
    expect(causesOf((list) => readMetadata('/metadata', 'no json', list))).toEqual(['/metadata INVALID_TYPE']);
  });
});

describe('adaptors', () => {
  it('status is an alias of active', () => {
    expect(readAdaptor({ name: 'crm', status: false }, undefined, new FaultList()).active).toBe(false);
    expect(causesOf((list) => readAdaptor({ name: 'crm', status: false, active: true }, undefined, list))).toEqual([
      '/status CONTRADICTION',
    ]);
  });

  it('a replacement takes the defaults for absent members and does not change active', () => {
    const before = readAdaptor(
      { name: 'crm', description: 'd', metadata: { a: 1 }, capabilities: [], active: false, discoveryMode: true },
      undefined,
      new FaultList(),
    );
    expect(readAdaptor({ name: 'crm' }, before, new FaultList())).toEqual({
      name: 'crm',
      description: null,
      adaptorTypeUuid: null,
      capabilities: null,
      metadata: null,
      discoveryMode: false,
      active: false,
      deletionLimit: { percent: 10, minimum: 100, seconds: 60 },
    });
  });
});

describe('domains', () => {
  it.each(['customer', 'Ab', 'a-b_c9', 'a'.repeat(128)])('may be named %s', (name) => {
    expect(causesOf((list) => readDomain({ name }, undefined, 'zone', list))).toEqual([]);
  });

  it.each(['a', '1a', '_a', '-a', 'a__b', 'a--b', 'a b', 'a.b', 'ä1', 'a\n', 'a'.repeat(129), ''])(
    'may not be named %j',
    (name) => {
      expect(causesOf((list) => readDomain({ name }, undefined, 'zone', list))).toEqual(['/name WRONG_FORMAT']);
    },
  );

  it('domain names that are the same in GraphQL have the same key', () => {
    expect(domainNameKey('Sales-Order')).toBe(domainNameKey('sales_order'));
  });

  it('the description is cut to 255 characters, and the default type is the data store', () => {
    const domain = readDomain({ name: 'customer', description: 'ü'.repeat(300) }, undefined, 'zone', new FaultList());
    expect(domain).toMatchObject({ description: 'ü'.repeat(255), domainType: 'SERVICE_DATA_STORE', zoneUuid: 'zone' });
  });

  it('the owning zone must be known', () => {
    expect(causesOf((list) => readDomain({ name: 'customer' }, undefined, undefined, list))).toEqual([
      '/zoneUuid REQUIRED',
    ]);
  });

  it('only description, activity and default version can be patched; other members may be sent back unchanged', () => {
    const current = readDomain({ name: 'customer' }, undefined, 'zone', new FaultList());
    const patch = (input: Parameters<typeof checkPatch>[0]) => causesOf((list) => checkPatch(input, current, list));
    expect(patch({ ...current, active: false, defaultVersionNumber: 2 })).toEqual([]);
    expect(patch({ name: 'Customer', domainType: 'FEDERATED', zoneUuid: null })).toEqual([
      '/name NOT_ALLOWED',
      '/domainType NOT_ALLOWED',
      '/zoneUuid NOT_ALLOWED',
    ]);
  });

  it('the type cannot change once a version exists', () => {
    const current = readDomain({ name: 'customer' }, undefined, 'zone', new FaultList());
    const next = { ...current, domainType: 'FEDERATED' } as const;
    expect(codeOf(() => requireTypeKept(current, next, 0))).toBeUndefined();
    expect(codeOf(() => requireTypeKept(current, next, 1))).toBe('CONFLICT');
    expect(codeOf(() => requireTypeKept(current, current, 1))).toBeUndefined();
  });
});

const modelOf = (properties: string, ...drKeyProperties: string[]): CompiledModel => {
  const { model } = compileModelSchema({
    modelSchema: parseJson(`{"properties": ${properties}}`),
    drKeyProperties: drKeyProperties.length === 0 ? ['id'] : drKeyProperties,
  });
  if (model === undefined) throw new Error('the model of the test does not compile');
  return model;
};

describe('changes of a version with records', () => {
  it('name a property within a list by its pointer', () => {
    const list = (properties: string) =>
      modelOf(
        `{"id": {"type": "int"}, "items": {"type": "array", "items": {"type": "object", "properties": ${properties}}}}`,
      );
    const [before, after] = [list('{"x": {"type": "int"}, "y": {"type": "int"}}'), list('{"y": {"type": "string"}}')];
    expect(causesOf((faults) => checkModification(before, after, faults))).toEqual([
      '/modelSchema/properties/items/items/properties/x PROPERTY_REMOVED',
      '/modelSchema/properties/items/items/properties/y TYPE_CHANGED',
    ]);
  });

  const before = modelOf('{"id": {"type": "integer"}, "name": {"type": "string"}}');
  it.each([
    [modelOf('{"id": {"type": "integer"}, "name": {"type": "string"}, "age": {"type": "integer"}}'), []],
    [modelOf('{"id": {"type": "integer"}, "NAME": {"type": "string", "maxLength": 3}}'), []],
    [modelOf('{"id": {"type": "integer"}}'), ['/modelSchema/properties/name PROPERTY_REMOVED']],
    [
      modelOf('{"id": {"type": "integer"}, "name": {"type": "integer"}}'),
      ['/modelSchema/properties/name TYPE_CHANGED'],
    ],
    [modelOf('{"id": {"type": "integer"}, "name": {"type": "string"}}', 'name'), ['/drKeyProperties DR_KEY_CHANGED']],
  ])('case %#', (after, faults) => {
    expect(causesOf((list) => checkModification(before, after, list))).toEqual(faults);
  });
});

describe('a patch of a version', () => {
  const current: DomainVersion = {
    uuid: 'v',
    domainUuid: 'd',
    versionNumber: 1,
    description: 'first',
    modelSchema:
      '{"title":"T","properties":{"id":{"type":"integer"},"at":{"type":"object","properties":{"a":{"type":"string"}}}}}',
    drKeyProperties: ['id'],
    searchProperties: ['at.a'],
    matchingAlgorithm: null,
    active: true,
    createdByUuid: null,
    dateCreated: new Date(0),
    lastUpdated: new Date(0),
    changeVersion: 1,
  };

  it('adds new properties to the model and keeps the others', () => {
    const patch = { modelSchema: '{"properties":{"URL":{"type":"uri"},"AT":{"properties":{"b":{"type":"string"}}}}}' };
    expect(patchedVersionInput(current, patch)).toEqual({
      description: 'first',
      drKeyProperties: ['id'],
      searchProperties: ['at.a'],
      matchingAlgorithm: null,
      modelSchema: {
        title: 'T',
        properties: {
          id: { type: 'integer' },
          at: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
          URL: { type: 'uri' },
        },
      },
    });
  });
});
