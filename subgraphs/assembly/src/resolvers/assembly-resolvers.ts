import { outputRecord, type Assembler, type AssemblyRequest } from '@fds/assembly-contract';
import { endCheck, guarded } from '@fds/graphql';
import { readRequest, refuseFaults } from '../domain/effective-request.js';

/** In GraphQL, members that were left out or set to null are null. Both mean the default. */
const withoutNulls = (input: Readonly<Record<string, unknown>>): AssemblyRequest =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined));

export const assemblyResolvers = (assembler: Assembler): Record<string, unknown> => ({
  Query: {
    assemble: guarded<{ request: Readonly<Record<string, unknown>> }>(
      { mode: 'require', action: 'GET', resource: '/drs' },
      async ({ request }, context) => {
        const { principal, signal } = context;
        if (context.purpose === 'check') {
          refuseFaults(readRequest(withoutNulls(request), principal).faults);
          endCheck(context);
        }
        const response = await assembler.assemble(withoutNulls(request), principal, signal);
        const { outputType } = response.virtualizationRequest;
        const records = response.assembledDataRecords.map((record) => outputRecord(record, outputType));
        return { response: { ...response, assembledDataRecords: records } };
      },
      { checks: 'input' },
    ),
  },
});
