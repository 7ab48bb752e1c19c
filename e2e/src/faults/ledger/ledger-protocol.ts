// What programs and ledger say to each other: JSON lines over TCP, each question answered with its number.

/** How far a source has come. */
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
 * `take`: the places that the source shall publish next, at most `size`; answered when there are some. The same ones again
 * until they are `published`. `apply`: an effect, together with its place; the same place has no effect twice.
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
