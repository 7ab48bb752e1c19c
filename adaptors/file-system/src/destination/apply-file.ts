import type { DestinationPaths } from '../configuration/destination-metadata.js';
import { copyFile, type CopyTools } from '../transfer/copy-file.js';
import { StorageFault } from '../storage/storage-fault.js';
import { formatLocation, isWithin, type Location, parseLocation } from '../uris/location.js';
import type { AwayRoutes } from './away-routes.js';
import type { IncomingFile } from './incoming-file.js';
import { planTargets, readableLocation, type Target } from './plan-copies.js';

/** Tools for applying an event. */
export interface ApplyContext {
  readonly paths: DestinationPaths;
  readonly sourceUris: readonly Location[];
  readonly tools: CopyTools;
  readonly routes: AwayRoutes;
}

const removeCopy = async (
  record: string,
  { target, base }: Target,
  { storages, processing }: CopyTools,
): Promise<void> => {
  const uri = formatLocation(target);
  // if another file was copied to the same place, the copy belongs to that file and stays
  if (processing.othersAt(uri, record) === 0) await storages.of(target).remove(target, base);
  processing.forget(record, uri);
};

/**
 * Runs the work for every target, then fails with the first failure. A target that is not available does not stop the
 * others.
 */
const forEachTarget = async (targets: readonly Target[], work: (target: Target) => Promise<void>): Promise<void> => {
  const failures: unknown[] = [];
  for (const target of targets) await work(target).catch((error: unknown) => failures.push(error));
  // AWAY comes first: the event is then tried again, even if another target refuses it
  const [first] = [...failures.filter(isAway), ...failures];
  if (failures.length > 0) throw first;
};

const isAway = (error: unknown): boolean => error instanceof StorageFault && error.kind === 'AWAY';

const removeFile = async (file: IncomingFile, { paths, tools, routes }: ApplyContext): Promise<void> => {
  const made = tools.processing
    .copiesOf(file.record)
    .map(({ target, base }) => ({ target: parseLocation(target), base: parseLocation(base) }));
  // if the adaptor has no record of the copies, the targets follow from the event
  const targets = made.length > 0 || file.destinationUri === undefined ? made : planTargets(file.destinationUri, paths);
  await forEachTarget(targets, (target) =>
    routes.attempt(formatLocation(target.base), () => removeCopy(file.record, target, tools)),
  );
};

/** Does the target have the content of the event? Compares the remembered fingerprint and the length. */
const isThere = async (
  { record, fingerprint }: IncomingFile,
  { target }: Target,
  { storages, processing }: CopyTools,
): Promise<boolean> => {
  const uri = formatLocation(target);
  const made = processing.copiesOf(record).find((copy) => copy.target === uri);
  if (fingerprint === undefined || made?.fingerprint !== fingerprint) return false;
  const facts = await storages.of(target).stat(target);
  return facts !== undefined && fingerprint.startsWith(`${facts.size} `);
};

/**
 * Applies an event about a file: copies the file to every matching destination, or removes its copies. Applying it
 * twice has the effect of once.
 *
 * @throws ApplyError for an event that cannot be applied, StorageFault
 */
export const applyFile = async (file: IncomingFile, context: ApplyContext): Promise<void> => {
  if (file.action === 'REMOVE') return removeFile(file, context);
  const { paths, sourceUris, tools, routes } = context;
  await forEachTarget(planTargets(file.destinationUri, paths), async (target) => {
    const from = readableLocation(file, sourceUris);
    const folder = sourceUris.find((base) => isWithin(base, from)) ?? from;
    await routes.attempt(`${formatLocation(folder)} to ${formatLocation(target.base)}`, async () => {
      if (!(await isThere(file, target, tools)))
        await copyFile({ from, within: sourceUris, to: target.target, base: target.base }, tools);
    });
    const { record, fingerprint = '' } = file;
    tools.processing.remember(record, {
      target: formatLocation(target.target),
      base: formatLocation(target.base),
      fingerprint,
    });
  });
};
