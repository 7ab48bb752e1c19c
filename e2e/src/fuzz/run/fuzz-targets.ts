import fc from 'fast-check';
import type { FuzzTarget } from '../fuzz-target.js';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { assemblyRequests } from '../targets/assembly-requests.js';
import { busMessages } from '../targets/bus-messages.js';
import { domainVersions } from '../targets/domain-versions.js';
import { governanceRules } from '../targets/governance-rules.js';
import { graphqlDocuments } from '../targets/graphql-documents.js';
import { importFiles } from '../targets/import-files.js';
import { rawAddresses } from '../targets/raw-addresses.js';
import { fuzzedOperations } from '../targets/rest-requests.js';
import { searchExpressions } from '../targets/search-expressions.js';
import { signIns } from '../targets/sign-ins.js';

/** Every door that takes input from outside. */
export const fuzzTargets = async (stage: FuzzStage): Promise<readonly FuzzTarget[]> => {
  const operations = await fuzzedOperations(stage.doors);
  return [
    { name: 'rest', cases: fc.oneof(...operations.map(({ cases }) => cases)) },
    searchExpressions(stage),
    domainVersions(stage),
    await governanceRules(stage),
    graphqlDocuments(stage),
    rawAddresses(stage),
    importFiles(stage),
    assemblyRequests(stage),
    signIns(stage),
    busMessages(stage),
  ];
};
