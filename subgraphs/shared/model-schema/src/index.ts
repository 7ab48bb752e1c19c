export type { CompiledModel, RecordValidation } from './compiled-model.js';
export type {
  ArrayProperty,
  ModelProperty,
  ObjectProperty,
  Reference,
  ReferenceProperty,
  ScalarProperty,
  ScalarType,
} from './model-property.js';
