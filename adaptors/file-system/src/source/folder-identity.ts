import type { KnownIdentity } from '../state/monitoring-state.js';
import type { FolderIdentity } from '../storage/storage.js';

/** The result of a look at a folder. CHANGED: nothing of the folder may be reported. */
export type IdentityVerdict =
  | { readonly outcome: 'SAME'; readonly known: KnownIdentity }
  | { readonly outcome: 'CHANGED'; readonly reason: string };

const describe = ({ device, inode, path }: NonNullable<KnownIdentity['identity']>): string =>
  [`device ${device}`, ...(inode === undefined ? [] : [`inode ${inode}`]), ...(path === '' ? [] : [path])].join(', ');

/**
 * Is the folder the one that was monitored before? An acceptance holds for the folder that is found first, and for no
 * other folder until it is removed from the metadata.
 *
 * @param accepts the metadata has `sourceChanged: "ACCEPT"`
 */
export const judgeIdentity = (
  uri: string,
  { identity: former, acceptanceUsed }: KnownIdentity,
  present: FolderIdentity,
  accepts: boolean,
): IdentityVerdict => {
  const isSame =
    former === undefined ||
    (former.device === present.device && (former.inode === undefined || former.inode === present.inode));
  if (isSame || (accepts && !acceptanceUsed))
    return { outcome: 'SAME', known: { identity: present, acceptanceUsed: accepts } };
  const again = accepts ? ' Its sourceChanged has accepted a former folder: remove it, then set it again.' : '';
  return {
    outcome: 'CHANGED',
    reason:
      `${uri} is another folder than before (before: ${describe(former)}; now: ${describe(present)}), so nothing of it is reported. ` +
      `Bring the former folder back, for example its mount, or set sourceChanged to "ACCEPT" in the entry of the path.${again}`,
  };
};
