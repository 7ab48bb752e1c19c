import type { AdaptorView, DomainVersionView } from '../catalog.js';
import type { RaisedIssue } from '../events/event-outcome.js';

/** The deletions of a version that an adaptor has reported within the time of its limit. */
export interface DeletionWindow {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  /** Time of the first deletion, in epoch milliseconds. */
  readonly beganAtMs: number;
  /** Records that the adaptor linked then. */
  readonly linked: number;
  /** Deletions that passed since. */
  readonly passed: number;
}

/** The state of the brake for one adaptor and version. */
export interface BrakeState {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly nowMs: number;
  /** Undefined: no window is open. */
  readonly window: DeletionWindow | undefined;
  /** Records that the adaptor links. Only where there is no window. */
  readonly linked: number;
  /** The open issue MASS_DELETION. */
  readonly issueUuid: string | undefined;
}

const placeOf = (adaptorUuid: string, domainVersionUuid: string): string => `${adaptorUuid}:${domainVersionUuid}`;

/** A new issue under which deletions are parked. */
const raiseMassDeletion = (
  uuid: string,
  { uuid: adaptorUuid, zoneUuid, deletionLimit }: AdaptorView,
  domainVersionUuid: string,
  { passed, linked }: DeletionWindow,
): RaisedIssue => ({
  uuid,
  title: 'The adaptor deletes many records at once',
  exception: 'ADAPTOR',
  matchStatus: null,
  zoneUuid,
  adaptorUuid,
  domainVersionUuid,
  recordUuid: null,
  keyDigest: null,
  cause: 'MASS_DELETION',
  dataEvent: null,
  errors: [
    {
      pointer: '',
      code: 'MASS_DELETION',
      detail: `${passed} deletions passed within ${deletionLimit?.seconds ?? 0} seconds, of ${linked} linked records; the others wait for a decision`,
    },
  ],
});

/**
 * The deletion limits of adaptors, as a batch uses them up. The window is not sliding: it begins with a deletion and ends
 * after the seconds of the limit; the first deletion after that begins the next one. While an issue is open, every further
 * deletion of the version is parked with it.
 */
export class DeletionBrake {
  readonly #states = new Map<string, BrakeState>();
  readonly #windows = new Map<string, DeletionWindow>();
  readonly #raised = new Map<string, RaisedIssue>();
  readonly #newUuid: () => string;

  constructor(states: readonly BrakeState[], newUuid: () => string) {
    for (const state of states) this.#states.set(placeOf(state.adaptorUuid, state.domainVersionUuid), state);
    this.#newUuid = newUuid;
  }

  /** Windows that have changed. */
  get windows(): readonly DeletionWindow[] {
    return [...this.#windows.values()];
  }

  /** New issues MASS_DELETION. */
  get raised(): readonly RaisedIssue[] {
    return [...this.#raised.values()];
  }

  /**
   * Takes a deletion that is about to pass.
   *
   * @returns the issue with which it is parked; undefined: it passes
   */
  take(source: AdaptorView, { uuid: domainVersionUuid }: Pick<DomainVersionView, 'uuid'>): string | undefined {
    const { uuid: adaptorUuid, deletionLimit } = source;
    const place = placeOf(adaptorUuid, domainVersionUuid);
    const state = this.#states.get(place);
    if (deletionLimit === undefined || state === undefined) return undefined;
    const issueUuid = this.#raised.get(place)?.uuid ?? state.issueUuid;
    if (issueUuid !== undefined) return issueUuid;
    const { nowMs, linked } = state;
    const window = this.#windows.get(place) ??
      state.window ?? { adaptorUuid, domainVersionUuid, beganAtMs: nowMs, linked, passed: 0 };
    const limit = Math.max(deletionLimit.minimum, Math.floor((window.linked * deletionLimit.percent) / 100));
    if (window.passed < limit) {
      this.#windows.set(place, { ...window, passed: window.passed + 1 });
      return undefined;
    }
    const issue = raiseMassDeletion(this.#newUuid(), source, domainVersionUuid, window);
    this.#raised.set(place, issue);
    return issue.uuid;
  }
}
