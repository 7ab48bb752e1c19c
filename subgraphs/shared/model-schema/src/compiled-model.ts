import type { ErrorCause } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { ModelProperty, ScalarType } from './model-property.js';

/**
 * A record validated against a model: the record in its stored form (names in the model's spelling and order, defaults
 * filled in, integers exact), or every fault with its JSON pointer from the top of the record.
 *
 * Codes: REQUIRED, UNKNOWN_PROPERTY, DUPLICATE_PROPERTY, INVALID_TYPE, INVALID_CHARACTER, INVALID_FORMAT,
 * INVALID_REFERENCE, PATTERN_MISMATCH, NOT_IN_ENUM, OUT_OF_RANGE, TOO_SHORT, TOO_LONG, TOO_FEW_ITEMS, TOO_MANY_ITEMS.
 */
export type RecordValidation =
  | { readonly valid: true; readonly record: JsonObject }
  | { readonly valid: false; readonly errors: readonly ErrorCause[] };

/** A property of the data that listings search and sort by. */
export interface SearchableProperty {
  /** Dotted path in the model's spelling. */
  readonly name: string;
  readonly dataPath: readonly string[];
  readonly type: ScalarType;
  readonly format?: string;
}

/** A model schema compiled once per version. Immutable; safe to share. */
export interface CompiledModel {
  /** Normalised to the standard spellings (docs/reference/model-schema.md#other-spellings). */
  readonly modelSchema: JsonObject;
  /** In the model's spelling. */
  readonly drKeyProperties: readonly string[];
  /** Listings of data-store versions search and sort by these properties and by the DR Key. */
  readonly searchProperties: readonly SearchableProperty[];
  /** Top-level properties in the order of the schema. */
  readonly properties: readonly ModelProperty[];
  /** Top-level properties that assembly takes together (docs/reference/model-schema.md#propertygroups). */
  readonly propertyGroups: readonly (readonly string[])[];
  /**
   * Validates a whole record; defaults are filled into absent and null members, property names match ignoring case.
   * At least one DR Key property must have a value. Patterns run in linear time. Never changes its argument.
   */
  validate(record: JsonObject): RecordValidation;
  /** The DR Key of a valid record, as an object in the order of `drKeyProperties`; null where it has no value. */
  drKeyOf(record: JsonObject): JsonObject;
  /**
   * Validates a DR Key object given on its own (DELETE events, drKeys of an assembly) as `validate` does. The record of
   * the answer has every DR Key property, in order.
   */
  validateDrKey(drKey: JsonObject): RecordValidation;
  /**
   * Validates some of the DR Key properties, each with a value. The record of the answer has these only, in the order of the
   * DR Key. Names that are not DR Key properties are faults.
   */
  validateKeyPart(part: JsonObject): RecordValidation;
  /**
   * SHA-256 of the typed canonical key in hexadecimal digits: case-sensitive, numbers normalised. Equal keys, equal digests.
   *
   * @param drKey as `drKeyOf` and `validateDrKey` answer it
   */
  keyDigest(drKey: JsonObject): string;
}
