/** An adaptor as figures name it. */
export interface NamedAdaptor {
  readonly uuid: string;
  readonly name: string;
  /** Name of its zone. */
  readonly zone: string;
}

/** The labels of a series: of one adaptor, or of all others together. Empty: figures name no adaptors. */
type AdaptorLabels = Readonly<Record<string, string>>;

const others: AdaptorLabels = { adaptor: 'other', zone: 'other' };
const unnamed: AdaptorLabels = {};

/**
 * A limited number of adaptors that have separate series. The others share one series. An adaptor keeps its place until
 * it is deleted, so that a counter of the shared series never falls.
 */
export class AdaptorSlots {
  private readonly places = new Map<string, NamedAdaptor | undefined>();
  private absent: ReadonlySet<string> = new Set();

  /** @param max 0: no series has the labels of adaptors */
  constructor(private readonly max: number) {}

  /** The key of its series: the adaptor, or empty for the shared one. It takes a free place at once. */
  keyOf(adaptorUuid: string): string {
    if (this.places.has(adaptorUuid)) return adaptorUuid;
    if (this.places.size >= this.max) return '';
    // its name is known at the next `renew`
    this.places.set(adaptorUuid, undefined);
    return adaptorUuid;
  }

  /** Takes the adaptors of the deployment, in the order in which they get places. @returns the adaptors that lost theirs */
  renew(adaptors: readonly NamedAdaptor[]): readonly string[] {
    const present = new Set(adaptors.map(({ uuid }) => uuid));
    const absent = [...this.places.keys()].filter((uuid) => !present.has(uuid));
    // a place without a name may belong to an adaptor that is newer than the list
    const gone = absent.filter((uuid) => this.places.get(uuid) !== undefined || this.absent.has(uuid));
    for (const uuid of gone) this.places.delete(uuid);
    this.absent = new Set(absent);
    for (const adaptor of adaptors) if (this.keyOf(adaptor.uuid) !== '') this.places.set(adaptor.uuid, adaptor);
    return gone;
  }

  /** The labels of a key. Undefined: the name of the adaptor is not known yet. */
  labelsOf(key: string): AdaptorLabels | undefined {
    if (this.max === 0) return unnamed;
    if (key === '') return others;
    const adaptor = this.places.get(key);
    return adaptor && { adaptor: adaptor.name, zone: adaptor.zone };
  }
}
