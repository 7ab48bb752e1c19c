import type { AssemblyResponse } from '@fds/assembly-contract';
import type { RecordPage } from '../store/record-store.js';
import { completenessOf } from './completeness.js';
import { openWindow, type WindowDependencies, type WindowSurroundings } from './open-window.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import { storedRecords } from './stored-records.js';

export type AssembledPage = Pick<AssemblyResponse, 'assembledDataRecords' | 'completeness'>;

/** Assembles a page of records as one window, up to its release. Records of a data-store domain come from the store. */
export const assemblePage = async (
  dependencies: WindowDependencies,
  scope: AssemblyScope,
  page: RecordPage,
  surroundings: WindowSurroundings,
): Promise<AssembledPage> => {
  if (scope.version.domainType === 'SERVICE_DATA_STORE') {
    return storedRecords(page, scope);
  }
  const window = await openWindow(dependencies, scope, page.records, surroundings);
  try {
    await window.gathering.released();
    const gathered = window.gathering.gathered();
    return {
      assembledDataRecords: window.merge(page.records, gathered),
      completeness: completenessOf({ gathered, denied: window.denied }),
    };
  } finally {
    window.gathering.close();
  }
};
