import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';

/**
 * A group of the suite: the property schema that expresses the suite's schema in our subset, or the reason why the
 * subset cannot express it.
 */
type SuiteGroup = { readonly property: (schema: JsonObject) => JsonObject } | { readonly out: string };

/** Cases that are out, by their description, with the reason. */
interface OutCases {
  readonly description: RegExp;
  readonly reason: string;
}

export interface SuiteFile {
  readonly groups: Readonly<Record<string, SuiteGroup>>;
  readonly outCases?: readonly OutCases[];
}

const within = (declared: JsonObject, { $schema: _dialect, ...keywords }: JsonObject): JsonObject => ({
  ...declared,
  ...keywords,
});

/** The suite's keywords together with a type: here a property always has one. */
const typed = (type: string): SuiteGroup => ({ property: (schema) => within({ type }, schema) });
/** An array has items here: references take the plain values of the cases. */
const list: SuiteGroup = {
  property: (schema) => within({ type: 'array', items: { $ref: '/domains/other:v1' } }, schema),
};

const typeOfEnum = (schema: JsonObject): JsonObject => ({
  type: typeof (schema['enum'] as readonly JsonValue[])[0] === 'number' ? 'integer' : 'string',
  ...schema,
});

/** An object whose children without a type are integers or, where they list values, of the type of these. */
const object = (properties: JsonObject = {}): SuiteGroup => ({
  property: (schema) => {
    const given = isJsonObject(schema['properties']) ? schema['properties'] : properties;
    const children = Object.entries(given).map(([name, child]) => {
      const own = isJsonObject(child) ? child : {};
      if (own['enum'] !== undefined) return [name, typeOfEnum(own)] as const;
      return [name, own['type'] === undefined && own['properties'] === undefined ? { type: 'integer' } : own] as const;
    });
    return within({ type: 'object' }, { ...schema, properties: Object.fromEntries(children) });
  },
});

const out = (reason: string): SuiteGroup => ({ out: reason });

const oneType = out('a property has one type');
const noNull = out('there is no type null');
const booleanEnum = out('a boolean lists no values');
const arrayEnum = out('an array lists no values');
const mixedEnum = out('an enum lists values of the one type of its property');
const plainNames = out('property names have letters, digits, dashes and underscores');
const noPatternProperties = out('patternProperties is not in the subset');
const exclusive = out('exclusive bounds are not in the subset');

/** Keywords say nothing of data of another type in JSON Schema; here the type of the property refuses it first. */
const otherTypes: OutCases = {
  description: /^(?:all string formats )?ignores? /,
  reason: 'a property has a type: data of another type is refused',
};
const unchecked: OutCases = {
  description: /./,
  reason: 'data is not validated against this format (docs/reference/model-schema.md#model-schema)',
};

const format = (group: string): SuiteFile => ({ groups: { [group]: typed('string') }, outCases: [otherTypes] });

/** Names that every object of JavaScript has; the suite's requires them without describing them. */
const inheritedNames: JsonObject = Object.fromEntries<JsonValue>([
  ['__proto__', { type: 'number' }],
  ['toString', { properties: { length: { type: 'string' } } }],
  ['constructor', { type: 'number' }],
]);

/** Every file of the suite that has cases for us, every group of it in or out. */
export const suiteFiles: Readonly<Record<string, SuiteFile>> = {
  type: {
    groups: {
      'integer type matches integers': typed('integer'),
      'number type matches numbers': typed('number'),
      'string type matches strings': typed('string'),
      'object type matches objects': object({ foo: { type: 'string' } }),
      'array type matches arrays': list,
      'boolean type matches booleans': typed('boolean'),
      'null type matches only the null object': noNull,
      'multiple types can be specified in an array': oneType,
      'type as array with one item': oneType,
      'type: array or object': oneType,
      'type: array, object or null': oneType,
    },
  },
  enum: {
    groups: {
      'simple enum validation': typed('integer'),
      'heterogeneous enum validation': mixedEnum,
      'heterogeneous enum-with-null validation': mixedEnum,
      'enums in properties': object(),
      'enum with escaped characters': typed('string'),
      'enum with false does not match 0': booleanEnum,
      'enum with [false] does not match [0]': arrayEnum,
      'enum with true does not match 1': booleanEnum,
      'enum with [true] does not match [1]': arrayEnum,
      'enum with 0 does not match false': typed('integer'),
      'enum with [0] does not match [false]': arrayEnum,
      'enum with 1 does not match true': typed('number'),
      'enum with [1] does not match [true]': arrayEnum,
      'nul characters in strings': out('text with U+0000 cannot be stored'),
      'empty enum': out('an enum lists at least one value'),
    },
  },
  minLength: {
    groups: {
      'minLength validation': typed('string'),
      'minLength validation with a decimal': typed('string'),
    },
    outCases: [otherTypes],
  },
  maxLength: {
    groups: {
      'maxLength validation': typed('string'),
      'maxLength validation with a decimal': typed('string'),
    },
    outCases: [otherTypes],
  },
  pattern: {
    groups: {
      'pattern validation': typed('string'),
      'pattern is not anchored': typed('string'),
      'pattern with Unicode property escape requires unicode mode': typed('string'),
    },
    outCases: [otherTypes],
  },
  minimum: {
    groups: { 'minimum validation': typed('number'), 'minimum validation with signed integer': typed('number') },
    outCases: [otherTypes],
  },
  maximum: {
    groups: { 'maximum validation': typed('number'), 'maximum validation with unsigned integer': typed('number') },
    outCases: [otherTypes],
  },
  minItems: {
    groups: { 'minItems validation': list, 'minItems validation with a decimal': list },
    outCases: [otherTypes],
  },
  maxItems: {
    groups: { 'maxItems validation': list, 'maxItems validation with a decimal': list },
    outCases: [otherTypes],
  },
  properties: {
    groups: {
      'object properties validation': object(),
      'properties, patternProperties, additionalProperties interaction': noPatternProperties,
      'properties with boolean schema': out('a property is described by an object'),
      'properties with escaped characters': plainNames,
      'properties with null valued instance properties': noNull,
      'properties whose names are Javascript object property names': object(),
    },
    outCases: [
      otherTypes,
      { description: /^doesn't invalidate other properties$/, reason: 'a record has the properties of its model only' },
    ],
  },
  required: {
    groups: {
      'required validation': object(),
      'required default validation': object(),
      'required with empty array': object(),
      'required with escaped characters': plainNames,
      'required properties whose names are Javascript object property names': object(inheritedNames),
    },
    outCases: [otherTypes],
  },
  bignum: {
    groups: {
      integer: out('an integer has 64 bits: a longer one is refused'),
      number: typed('number'),
      string: typed('string'),
      'maximum integer comparison': typed('number'),
      'float comparison with high precision': exclusive,
      'minimum integer comparison': typed('number'),
      'float comparison with high precision on negative numbers': exclusive,
    },
  },
  'ecmascript-regex': {
    groups: {
      'ECMA 262 regex $ does not match trailing newline': typed('string'),
      'ECMA 262 regex converts \\t to horizontal tab': typed('string'),
      'ECMA 262 regex escapes control codes with \\c and upper letter': typed('string'),
      'ECMA 262 regex escapes control codes with \\c and lower letter': typed('string'),
      'ECMA 262 \\d matches ascii digits only': typed('string'),
      'ECMA 262 \\D matches everything but ascii digits': typed('string'),
      'ECMA 262 \\w matches ascii letters only': typed('string'),
      'ECMA 262 \\W matches everything but ascii letters': typed('string'),
      'ECMA 262 \\s matches whitespace': typed('string'),
      'ECMA 262 \\S matches everything but whitespace': typed('string'),
      'patterns always use unicode semantics with pattern': typed('string'),
      '\\w in patterns matches [A-Za-z0-9_], not unicode letters': typed('string'),
      'pattern with ASCII ranges': typed('string'),
      '\\d in pattern matches [0-9], not unicode digits': typed('string'),
      'pattern with non-ASCII digits': typed('string'),
      'patterns always use unicode semantics with patternProperties': noPatternProperties,
      '\\w in patternProperties matches [A-Za-z0-9_], not unicode letters': noPatternProperties,
      'patternProperties with ASCII ranges': noPatternProperties,
      '\\d in patternProperties matches [0-9], not unicode digits': noPatternProperties,
      'patternProperties with non-ASCII digits': noPatternProperties,
    },
  },
  'non-bmp-regex': {
    groups: {
      'Proper UTF-16 surrogate pair handling: pattern': typed('string'),
      'Proper UTF-16 surrogate pair handling: patternProperties': noPatternProperties,
    },
  },
  'format/date': format('validation of date strings'),
  'format/time': format('validation of time strings'),
  'format/date-time': format('validation of date-time strings'),
  'format/email': format('validation of e-mail addresses'),
  'format/uri': format('validation of URIs'),
  'format/uuid': format('uuid format'),
  'format/ipv4': format('validation of IP addresses'),
  'format/ipv6': format('validation of IPv6 addresses'),
  'format/hostname': {
    groups: {
      'validation of host names': typed('string'),
      'validation of A-label (punycode) host names': typed('string'),
    },
    outCases: [unchecked],
  },
  'format/regex': { groups: { 'validation of regular expressions': typed('string') }, outCases: [unchecked] },
};

const filesOf = (names: string, reason: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((file) => [file, reason]),
  );

/** The suite's other files of draft 2020-12, and why no case of theirs is one for us. */
export const suiteFilesOut: Readonly<Record<string, string>> = {
  items: 'items are objects or references; the cases have plain values, booleans and arrays',
  default: 'a default must fit its property and is filled in; the suite has it do nothing',
  format: 'has formats as annotations only; here data is validated against them',
  'optional/format-assertion': 'asks for vocabularies, which the subset does not have',
  'optional/float-overflow': 'multipleOf is not in the subset',
  ref: '$ref is a cross-reference to a domain version, no pointer to a schema',
  ...filesOf(
    `additionalProperties allOf anchor anyOf boolean_schema const contains content defs dependentRequired
    dependentSchemas dynamicRef exclusiveMaximum exclusiveMinimum if-then-else infinite-loop-detection maxContains
    maxProperties minContains minProperties multipleOf not oneOf patternProperties prefixItems propertyNames refRemote
    unevaluatedItems unevaluatedProperties uniqueItems vocabulary optional/anchor optional/cross-draft
    optional/dependencies-compatibility optional/dynamicRef optional/id optional/no-schema
    optional/refOfUnknownKeyword optional/unknownKeyword`,
    'its keyword is not in the subset',
  ),
  ...filesOf(
    `optional/format/duration optional/format/ecmascript-regex optional/format/idn-email optional/format/idn-hostname
    optional/format/iri optional/format/iri-reference optional/format/json-pointer
    optional/format/relative-json-pointer optional/format/unknown optional/format/uri-reference
    optional/format/uri-template`,
    'its format is not in the subset',
  ),
};
