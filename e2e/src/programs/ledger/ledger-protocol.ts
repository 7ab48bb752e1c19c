// The protocol between programs and ledger: JSON lines over TCP. Each answer has the number of its request.

/** Progress of a source. */
interface SourceQuestion {
  readonly stream: string;
}

/** A place in a destination's sequence. */
interface PlaceQuestion {
  readonly destination: string;
  readonly epoch: string;
  readonly sequence: number;
}

/**
 * `take`: requests the places that the source must publish next, at most `size`. The ledger answers when there are
 * some, and repeats the same places until they are `published`. `apply`: reports an effect and its place. The same
 * place has no effect twice.
 */
export interface Questions {
  readonly take: {
    readonly asks: SourceQuestion & { readonly size: number };
    readonly answer: { readonly from: number; readonly to: number };
  };
  readonly published: { readonly asks: SourceQuestion & { readonly to: number }; readonly answer: true };
  readonly has: { readonly asks: PlaceQuestion; readonly answer: boolean };
  readonly apply: {
    readonly asks: PlaceQuestion & {
      readonly json: Readonly<Record<string, unknown>>;
    };
    readonly answer: true;
  };
}

export type QuestionName = keyof Questions;

export interface Asked {
  readonly number: number;
  readonly name: QuestionName;
  readonly asks: object;
}

export interface Answered {
  readonly number: number;
  readonly answer: unknown;
}
