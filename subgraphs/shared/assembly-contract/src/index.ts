export type { AssembledRecord, AssembledStatus, AssemblyResponse, Tier } from './assembly-response.js';
export type { Assembler } from './assembler.js';
export { parseAssemblerOptions, type AssemblerOptions } from './assembler-options.js';
export type { AssemblyLine, EndLine, PatchLine, RecordLine } from './assembly-line.js';
export { outputLine, outputRecord } from './output-type.js';
export type { AssemblyRequest, OutputType, ReleasePolicy } from './assembly-request.js';
export type {
  CollectedAnswer,
  CollectedQuestion,
  CollectedRecord,
  CollectionRequest,
  RecordCollector,
} from './record-collector.js';
