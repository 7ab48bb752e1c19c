export type { AssembledRecord, AssembledStatus, AssemblyResponse, Tier } from './assembly-response.js';
export type { Assembler } from './assembler.js';
export { parseAssemblerOptions, type AssemblerOptions } from './assembler-options.js';
export type { AssemblyRequest, ReleasePolicy } from './assembly-request.js';
