import { parseJson } from '@fds/json';
import { preparePatterns, type CompiledModel } from '@fds/model-schema';
import { inTurns } from '@fds/service';
import { decodeJson } from '../../domain/decode-json.js';
import { storedModel, type DomainVersion, type DomainVersionInput } from '../../domain/versions/domain-version.js';

/** Compiles the patterns of an input, and lets other work run in between. Call it before `readVersion`. */
export const prepareInput = ({ modelSchema }: DomainVersionInput): Promise<void> =>
  inTurns(preparePatterns(decodeJson(modelSchema ?? null)));

/** The model of a stored version. @throws Error when it does not compile, which is a bug */
export const loadModel = async (version: DomainVersion): Promise<CompiledModel> => {
  await inTurns(preparePatterns(parseJson(version.modelSchema)));
  return storedModel(version);
};

/** Cross-references of a model to one version need one look-up. */
export const uniqueTargets = <
  Target extends { readonly versionNumber: number; readonly domain: { readonly nameKey: string } },
>(
  targets: readonly Target[],
): Target[] => [
  ...new Map(targets.map((target) => [`${target.domain.nameKey} ${target.versionNumber}`, target])).values(),
];
