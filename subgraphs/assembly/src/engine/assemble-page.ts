import type { AssembledRecord, AssemblyResponse } from '@fds/assembly-contract';
import { expandsReferences } from '../domain/references/expands-references.js';
import type { RecordPage } from '../store/record-store.js';
import { completenessOf, type WindowOutcome } from './completeness.js';
import { openWindow, type WindowSurroundings } from './open-window.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import type { Asking } from './plan/require-version.js';
import {
  openAnswerReferences,
  type AnswerReferences,
  type ReferenceDependencies,
} from './references/open-answer-references.js';
import { storedRecords } from './stored-records.js';

export type AssembledPage = Pick<AssemblyResponse, 'assembledDataRecords' | 'completeness'>;

export interface PageSurroundings extends WindowSurroundings {
  readonly asking: Asking;
}

interface ReleasedRecords {
  readonly records: readonly AssembledRecord[];
  readonly outcomes: readonly WindowOutcome[];
}

/** Assembles the records themselves, up to their release. Records of a data-store domain come from the store. */
const assembleRecords = async (
  dependencies: ReferenceDependencies,
  scope: AssemblyScope,
  page: RecordPage,
  surroundings: WindowSurroundings,
  references: AnswerReferences | undefined,
): Promise<ReleasedRecords> => {
  if (scope.version.domainType === 'SERVICE_DATA_STORE') {
    return { records: storedRecords(page, scope).assembledDataRecords, outcomes: [] };
  }
  const window = openWindow(dependencies, scope, page.records, surroundings);
  try {
    await window.gathering.released();
  } finally {
    window.gathering.close();
  }
  references?.adopt(window, page.records);
  const gathered = window.gathering.gathered();
  return { records: window.merge(page.records, gathered), outcomes: [{ gathered, denied: window.denied }] };
};

/** Assembles a page of records as one window, up to its release, and then the records that it refers to. */
export const assemblePage = async (
  dependencies: ReferenceDependencies,
  scope: AssemblyScope,
  page: RecordPage,
  surroundings: PageSurroundings,
): Promise<AssembledPage> => {
  const references = expandsReferences(scope.request)
    ? openAnswerReferences(dependencies, scope, { ...surroundings, until: 'RELEASE' })
    : undefined;
  try {
    const { records, outcomes } = await assembleRecords(dependencies, scope, page, surroundings, references);
    return {
      assembledDataRecords: (await references?.expand(records, page.records)) ?? records,
      completeness: completenessOf([...outcomes, ...(references?.outcomes() ?? [])]),
    };
  } finally {
    references?.close();
  }
};
