import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import { fileModel } from '../testing/file-model.js';
import { checkDomains } from './check-domains.js';
import { ConfigurationFault, parseFileSystemMetadata } from './file-system-metadata.js';

const metadata = parseFileSystemMetadata({
  type: 'source',
  paths: [{ domain: 'Files', version: '2', uri: 'file:///in' }],
});
const capabilities = ['POST', 'PUT', 'DELETE'].map((action) => ({
  domainName: 'files',
  versionNumber: 2,
  action: action as 'POST',
}));
const key = ['adaptorUuid', 'sourceUri'];
const version = (
  modelSchema: JsonObject | undefined,
  drKeyProperties = key,
): AdaptorConfiguration['domainVersions'][number] => ({
  domain: 'files',
  version: 2,
  domainVersionUuid: '9f1c2c2e-6f0c-4c43-8f9e-2d5f9d9d2d11',
  drKeyProperties,
  ...(modelSchema === undefined ? {} : { modelSchema }),
});
const without = (name: string): JsonObject => ({
  ...fileModel,
  properties: Object.fromEntries(Object.entries(fileModel.properties).filter(([one]) => one !== name)),
});
const withProperty = (name: string, property: JsonObject): JsonObject => ({
  ...fileModel,
  properties: { ...fileModel.properties, [name]: property },
});

const faultsOf = (configuration: Parameters<typeof checkDomains>[1]): string => {
  try {
    checkDomains(metadata, configuration);
    return '';
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.message;
    throw error;
  }
};

describe('checkDomains', () => {
  it('accepts the domain of the specification, with names in any case and the key in any order', () => {
    expect(checkDomains(metadata, { capabilities, domainVersions: [version(fileModel, key.toReversed())] })).toEqual(
      [],
    );
  });

  it('returns the versions without a model from the server', () => {
    expect(checkDomains(metadata, { capabilities, domainVersions: [version(undefined)] })).toEqual(['Files:2']);
  });

  it.each<[string, JsonObject, string]>([
    ...Object.keys(fileModel.properties).map((name): [string, JsonObject, string] => [
      `no ${name}`,
      without(name),
      `property ${name} `,
    ]),
    [
      'a length of type string',
      withProperty('contentLength', { type: 'string' }),
      'contentLength must have the type integer',
    ],
    [
      'an optional key',
      { ...fileModel, required: ['sourceUri', 'action', 'contentLength'] },
      'adaptorUuid must be required',
    ],
    [
      'other actions',
      withProperty('action', { type: 'string', enum: ['NEW', 'UPDATED'] }),
      'enum NEW, UPDATED, DELETED',
    ],
    [
      'parameters without a value',
      withProperty('additionalParameters', {
        type: 'array',
        items: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
      }),
      'must have value (string, required)',
    ],
  ])('refuses %s', (_, model, reason) => {
    expect(faultsOf({ capabilities, domainVersions: [version(model)] })).toContain(reason);
  });

  it.each([
    ['another key', [...key, 'action']],
    ['only a part of the key', ['sourceUri']],
  ])('refuses %s', (_, drKeyProperties) => {
    expect(faultsOf({ capabilities, domainVersions: [version(fileModel, drKeyProperties)] })).toContain(
      'the DR Key properties must be exactly adaptorUuid and sourceUri',
    );
  });

  it('names a version that does not exist and missing capabilities in one message', () => {
    expect(faultsOf({ capabilities: [], domainVersions: [] })).toBe(
      "the configuration is not valid: metadata/paths/0 (Files:2): the adaptor's capabilities lack POST and PUT; " +
        "metadata/paths/0 (Files:2): no such domain version exists, or the adaptor's capabilities do not name it",
    );
  });
});
