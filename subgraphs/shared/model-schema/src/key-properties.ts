import type { CompiledModel } from './compiled-model.js';
import type { ModelProperty, ScalarProperty } from './model-property.js';

const isKey = (property: ModelProperty): property is ScalarProperty => 'drKey' in property && property.drKey;

/** The DR Key properties of a model: the only ones that search expressions and sorting may name. */
export const keyPropertiesOf = (model: Pick<CompiledModel, 'properties'>): readonly ScalarProperty[] =>
  model.properties.filter(isKey);
