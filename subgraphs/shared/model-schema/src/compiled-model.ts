import type { ErrorCause } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { ModelProperty } from './model-property.js';

/** A record held against a model: the record with defaults filled in, or every fault with its JSON pointer. */
export type RecordValidation =
  | { readonly valid: true; readonly record: JsonObject }
  | { readonly valid: false; readonly errors: readonly ErrorCause[] };

/** A model schema compiled once per version. Immutable; safe to share. */
export interface CompiledModel {
  /** Normalised to the standard spellings (decisions, section 6). */
  readonly modelSchema: JsonObject;
  readonly drKeyProperties: readonly string[];
  /** Top-level properties in the order of the schema. */
  readonly properties: readonly ModelProperty[];
  /**
   * Validates a whole record; defaults are filled into absent and null members, property names match ignoring case.
   * Patterns run in linear time. Never changes its argument.
   */
  validate(record: JsonObject): RecordValidation;
  /** The DR Key of a valid record, as an object in the order of `drKeyProperties`. */
  drKeyOf(record: JsonObject): JsonObject;
  /** Validates a DR Key object given on its own (DELETE events, drKeys of an assembly). */
  validateDrKey(drKey: JsonObject): RecordValidation;
  /** SHA-256 of the typed canonical key: case-sensitive, numbers normalised. Equal keys, equal digests. */
  keyDigest(drKey: JsonObject): Buffer;
}
