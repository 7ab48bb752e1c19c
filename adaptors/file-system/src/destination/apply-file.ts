import type { DestinationPaths } from '../configuration/destination-metadata.js';
import { digestOfContent } from '../storage/checked-content.js';
import type { Entry, WrittenFile } from '../storage/storage.js';
import { StorageFault } from '../storage/storage-fault.js';
import { copyFile, type CopyTools } from '../transfer/copy-file.js';
import { formatLocation, isWithin, type Location, parentOf, parseLocation } from '../uris/location.js';
import type { IncomingFile } from './incoming-file.js';
import { judgeTarget, type TargetVerdict } from './judge-target.js';
import { planTargets, readableLocation, type Target } from './plan-copies.js';

/** Tools for applying an event. */
export interface ApplyContext {
  readonly paths: DestinationPaths;
  readonly sourceUris: readonly Location[];
  readonly tools: CopyTools;
  /** Watches work that needs folders. @param folders their URIs */
  readonly watch: (folders: readonly string[], work: () => Promise<void>) => Promise<void>;
}

const digestAt = async (file: Location, within: readonly Location[], { storages }: CopyTools): Promise<string> => {
  const opened = await storages.of(file).open(file, within);
  try {
    return await digestOfContent(opened);
  } finally {
    await opened.close();
  }
};

/** A target with its present content. */
interface JudgedTarget {
  readonly uri: string;
  readonly entry: Entry | undefined;
  readonly verdict: TargetVerdict;
  /** The record whose content is there. Undefined: it is not known. */
  readonly holder: string | undefined;
  /** Fingerprint of the last copy for the record. */
  readonly fingerprint: string | undefined;
  /** URI of a copy that this name leads to also. */
  readonly meets: string | undefined;
}

/**
 * The copy under another name that the entry is: the file system does not tell the two names apart (letter case, Unicode
 * forms), or a symbolic link leads from one to the other. Undefined: none is known.
 */
const otherNameOf = async (
  entry: Entry | undefined,
  { target }: Target,
  { storages, processing }: CopyTools,
): Promise<string | undefined> => {
  // each key of an object storage is a separate object
  if (entry?.isFile !== true || target.scheme !== 'file') return undefined;
  const inode = entry.mark.slice(0, entry.mark.indexOf(' ') + 1);
  for (const other of processing.writtenAs(inode, formatLocation(target))) {
    const location = parseLocation(other.target);
    const there = await storages.of(location).stat(location, parseLocation(other.base));
    if (there?.mark === entry.mark) return other.target;
  }
  return undefined;
};

const look = async (record: string, place: Target, tools: CopyTools): Promise<JudgedTarget> => {
  const { storages, processing } = tools;
  const { target, base } = place;
  const uri = formatLocation(target);
  const entry = await storages.of(target).stat(target, base);
  const written = processing.lastWritten(uri);
  const made = processing.copiesOf(record).find((copy) => copy.target === uri);
  const others = written === undefined ? processing.othersAt(uri, record) : [];
  const verdict = await judgeTarget({
    entry,
    written,
    fingerprints: [...(made === undefined ? [] : [made]), ...others].map(({ fingerprint }) => fingerprint),
    digest: () => digestAt(target, [base], tools),
  });
  const meets = await otherNameOf(entry, place, tools);
  return { uri, entry, verdict, holder: written?.record, fingerprint: made?.fingerprint, meets };
};

/** Another program's content is neither replaced nor removed. */
const conflict = ({ uri, verdict }: JudgedTarget, incoming: 'copy' | 'deletion'): StorageFault => {
  const what =
    verdict === 'FOREIGN'
      ? `${uri} exists at the destination, and this adaptor did not write it`
      : `${uri} was changed at the destination after this adaptor wrote it`;
  return new StorageFault(
    'FOREIGN',
    `${what}. It stays as it is, and the ${incoming} was not carried out. Move or delete the file, then retry the issue`,
  );
};

/** The other name may go: its deletion may be on its way. */
const sameFile = (uri: string, other: string): StorageFault =>
  new StorageFault(
    'BLOCKED',
    `${uri} and ${other} are one file at the destination: the file system does not tell the two names apart, or a link leads from one to the other. ` +
      `The copy of ${other} stays unchanged. Rename one of the files at the source, then retry the issue`,
  );

const removeCopy = async (record: string, place: Target, tools: CopyTools): Promise<void> => {
  const { storages, processing } = tools;
  const { target, base } = place;
  const uri = formatLocation(target);
  // if another file was copied to the same place, the copy belongs to that file and stays
  if (processing.othersAt(uri, record).length === 0) {
    const found = await look(record, place, tools);
    // the copy of a file is not a folder: it is gone, and the folder stays
    const isGone = found.entry === undefined || found.entry.isFolder;
    // the file belongs to another name, so this record has no copy
    if (found.meets !== undefined) processing.forget(record, uri);
    else if (isGone) await storages.of(target).prune(parentOf(target), base);
    else if (found.verdict === 'CHANGED' || found.verdict === 'FOREIGN') throw conflict(found, 'deletion');
    else await storages.of(target).remove(target, base, { mark: found.entry.mark });
  }
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

const removeFile = async (file: IncomingFile, { paths, tools, watch }: ApplyContext): Promise<void> => {
  const made = tools.processing
    .copiesOf(file.record)
    .map(({ target, base }) => ({ target: parseLocation(target), base: parseLocation(base) }));
  // if the adaptor has no record of the copies, the targets follow from the event
  const targets = made.length > 0 || file.destinationUri === undefined ? made : planTargets(file.destinationUri, paths);
  await forEachTarget(targets, (target) =>
    watch([formatLocation(target.base)], () => removeCopy(file.record, target, tools)),
  );
};

/** Content at a target that equals the content to copy. It needs no copy. */
const adoptable = async (
  { entry }: JudgedTarget,
  { target, base }: Target,
  from: Location,
  sourceUris: readonly Location[],
  tools: CopyTools,
): Promise<WrittenFile | undefined> => {
  if (entry?.isFile !== true) return undefined;
  const source = await tools.storages.of(from).open(from, sourceUris);
  try {
    if (source.facts.size !== entry.size) return undefined;
    const digest = await digestOfContent(source);
    return digest === (await digestAt(target, [base], tools)) ? { mark: entry.mark, digest } : undefined;
  } finally {
    await source.close();
  }
};

/** Looks at the target of a copy, once more after an empty folder of the adaptor was removed there. */
const lookAgain = async (record: string, place: Target, tools: CopyTools): Promise<JudgedTarget> => {
  const found = await look(record, place, tools);
  if (found.entry?.isFolder !== true) return found;
  await tools.storages.of(place.target).prune(place.target, place.base);
  return look(record, place, tools);
};

const copyTo = async (file: IncomingFile, place: Target, from: Location, context: ApplyContext): Promise<void> => {
  const { sourceUris, tools } = context;
  const { record, fingerprint } = file;
  const found = await lookAgain(record, place, tools);
  const { entry, verdict, uri } = found;
  if (entry?.isFolder === true)
    throw new StorageFault(
      'BLOCKED',
      `${uri} is a folder at the destination, so the file cannot be written. The adaptor removes only empty folders that it made itself. ` +
        'Move or delete the folder, then retry the issue',
    );
  if (found.meets !== undefined) throw sameFile(uri, found.meets);
  const isThere = fingerprint !== undefined && found.fingerprint === fingerprint;
  const isOurs = verdict === 'OURS' && (found.holder ?? record) === record;
  if (isOurs && isThere) return;
  if (isOurs && file.digest !== undefined && (await digestAt(place.target, [place.base], tools)) === file.digest) {
    const copy = { target: uri, base: formatLocation(place.base), fingerprint: fingerprint ?? '' };
    tools.processing.made(record, copy, { mark: entry?.mark ?? '', digest: file.digest }, undefined);
    return;
  }
  if (verdict === 'CHANGED' || verdict === 'FOREIGN') {
    const written = await adoptable(found, place, from, sourceUris, tools);
    if (written === undefined) throw conflict(found, 'copy');
    const copy = { target: uri, base: formatLocation(place.base), fingerprint: fingerprint ?? '' };
    tools.processing.made(record, copy, written, undefined);
    return;
  }
  await copyFile(
    {
      from,
      within: sourceUris,
      to: place.target,
      base: place.base,
      replaced: entry === undefined ? 'ABSENT' : { mark: entry.mark },
      made: { record, fingerprint: fingerprint ?? '' },
    },
    tools,
  ).catch(async (error: unknown) => {
    // a copy under the other name may have appeared in the meantime
    const { meets } = await look(record, place, tools);
    throw meets === undefined ? error : sameFile(uri, meets);
  });
};

/**
 * Applies an event about a file: copies the file to every matching destination, or removes its copies. Applying it
 * twice has the effect of once. A file that another program changed or created at the destination stays as it is.
 *
 * @throws ApplyError for an event that cannot be applied, StorageFault
 */
export const applyFile = async (file: IncomingFile, context: ApplyContext): Promise<void> => {
  if (file.action === 'REMOVE') return removeFile(file, context);
  const { paths, sourceUris, watch } = context;
  await forEachTarget(planTargets(file.destinationUri, paths), async (place) => {
    const from = readableLocation(file, sourceUris);
    const folder = sourceUris.find((base) => isWithin(base, from)) ?? from;
    const resources = [formatLocation(folder), formatLocation(place.base)];
    await watch(resources, () => copyTo(file, place, from, context));
  });
};
