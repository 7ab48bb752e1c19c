/** An access that was refused. */
export interface Refusal {
  /** Person or adaptor; undefined when the caller is not known. */
  readonly actorUuid?: string | undefined;
  /** Method of the request. */
  readonly action: string;
  /** Path below `/api`, or of another door. */
  readonly resource: string;
  readonly code: string;
  /** The refused request, without secrets. */
  readonly detail: string;
  /** Address that the request came from. */
  readonly address: string;
}

/** A refusal and how often it occurred. */
export interface CountedRefusal {
  readonly refusal: Refusal;
  readonly count: number;
}
