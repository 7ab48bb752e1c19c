import type { PlanningLimits } from '../../requests/create-planning-share.js';
import type { OperationLimits } from '../../limits/operation-limits.js';
import type { ServiceSettings } from '../settings/service-settings.js';

/** The limits of GraphQL documents from the settings. */
export const limitsOf = (settings: ServiceSettings): OperationLimits => ({
  maxTokens: settings.maxQueryTokens,
  maxDefinitions: settings.maxQueryDefinitions,
  maxComparisons: settings.maxQueryComparisons,
  maxIntrospections: settings.maxIntrospections,
  maxDepth: settings.maxQueryDepth,
  maxFields: settings.maxQueryFields,
  maxAliases: settings.maxQueryAliases,
  maxCost: settings.maxQueryCost,
});

/** The limits, from the settings, of the time that new documents of a caller may take. */
export const planningLimitsOf = (settings: ServiceSettings): PlanningLimits => ({
  msPerSecond: settings.planningMs,
  maxWaitingPerCaller: settings.planningWaiting,
  maxWaitMs: settings.planningSeconds * 1000,
});
