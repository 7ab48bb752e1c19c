import { expect } from '@jest/globals';
import type { RawAnswer } from '../harness/exchange.js';

/** A problem of RFC 9457 with the members of docs/reference/rest-conventions.md#errors. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

/** Traces, statements, files and libraries, which must never leave the server. */
const internals =
  /\bat \S+ \(|\.[jt]s:\d+|node_modules|file:\/\/|\b(select|insert into|update|delete from) [\s\S]*\b(from|values|set|where)\b|prisma|postgres|invocation/i;

/** Fails when an answer reveals internals of the server. */
export const expectNoInternals = ({ text }: RawAnswer): void => {
  expect(text).not.toMatch(internals);
};

/** Expected properties of a refusal. */
export interface ExpectedProblem {
  readonly status: number;
  readonly code: string;
  /** Pointers that must be among the causes. */
  readonly pointers?: readonly string[];
}

/** Checks that an answer has the shape of a problem, and returns the problem. */
export const expectProblem = (answer: RawAnswer, { status, code, pointers = [] }: ExpectedProblem): Problem => {
  const problem = answer.body as Problem;
  if (answer.status !== status || problem.code !== code)
    throw new Error(`expected ${status} ${code}, got ${answer.status}: ${answer.text}`);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json\b/);
  const word: unknown = expect.stringMatching(/^[A-Z][A-Z_]*[A-Z]$/);
  const sentence: unknown = expect.stringMatching(/\w/);
  expect(problem).toMatchObject({ type: sentence, title: sentence, status, detail: sentence, instance: sentence });
  expect(problem.requestId).toBe(answer.headers['x-request-id']);
  expect(problem.type).toContain(code);
  for (const cause of problem.errors ?? []) {
    expect(cause).toEqual({ pointer: expect.any(String), code: word, detail: sentence });
  }
  expect((problem.errors ?? []).map(({ pointer }) => pointer)).toEqual(expect.arrayContaining([...pointers]));
  expectNoInternals(answer);
  return problem;
};
