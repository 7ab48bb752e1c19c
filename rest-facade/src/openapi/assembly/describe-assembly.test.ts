import { describe, expect, it } from '@jest/globals';
import { isInputObjectType } from 'graphql';
import { loadStaticSchema } from '../../testing/static-schema.js';
import { createSchemaRegistry } from '../schema-registry.js';
import { assemblyRequestSchema, requestMembers } from './assembly-request-schema.js';
import { describeAssembly } from './describe-assembly.js';

const inputMembers = (name: string): string[] => {
  const type = loadStaticSchema().getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is not an input`);
  return Object.keys(type.getFields());
};

describe('the description of an assembly request', () => {
  it('has the members that the service accepts', () => {
    expect(Object.keys(requestMembers).sort()).toEqual(inputMembers('AssemblyRequestInput').sort());
    const { properties = {} } = requestMembers['options'] as { properties?: object };
    expect(Object.keys(properties).sort()).toEqual(inputMembers('AssemblyOptionsInput').sort());
  });

  it('has the defaults of the service', () => {
    const type = loadStaticSchema().getType('AssemblyRequestInput');
    const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const given = fields.filter(({ defaultValue }) => defaultValue !== undefined);
    expect(given.length).toBeGreaterThan(5);
    for (const { name, defaultValue } of given)
      expect([name, requestMembers[name]?.['default']]).toEqual([name, defaultValue]);
  });

  it('requires no member, because generators treat a member with a default as required', () => {
    const { properties, required } = assemblyRequestSchema as { properties: object; required?: unknown };
    expect(required).toBeUndefined();
    expect(JSON.stringify(properties)).not.toContain('"default"');
    expect(properties).toMatchObject({ timeout: { description: 'Seconds to wait for adaptors. Default: 30' } });
  });

  it('has an example of each answer', () => {
    const [answer] = describeAssembly('http://localhost:8082', createSchemaRegistry()).answers;
    expect(Object.keys(answer?.examples ?? {})).toEqual(Object.keys(answer?.content ?? {}));
  });
});
