import { settings } from '@fds/service';
import { anyPort } from './any-port.js';

const answerRange = { min: 65_536, max: 17_179_869_184 };

/** The assembly service and the memory of its answers. */
export const assemblySettings = {
  assemblyPort: settings.integer(
    'FDS_ASSEMBLY_PORT',
    'Port of the assembly service. 0 = any free port.',
    8082,
    anyPort,
  ),
  assemblyEnabled: settings.boolean(
    'FDS_ASSEMBLY_ENABLED',
    'Serve POST /request where the part assembly runs. The gateway leaves it out of the OpenAPI document when it is false.',
    true,
  ),
  assemblyBaseUrl: settings.url(
    'FDS_ASSEMBLY_BASE_URL',
    'Address of the assembly service that clients see, for the OpenAPI document. Default: from host and port.',
  ),
  assemblyUnreadSeconds: settings.integer(
    'FDS_ASSEMBLY_UNREAD_SECONDS',
    'Time after which the service cuts off a client that does not read its progressive answer.',
    30,
    { min: 1, max: 3600 },
  ),
  assemblyMaxAnswerBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_ANSWER_BYTES',
    'Most memory that the answer of one adaptor to an assembly request may take. An adaptor that sends more counts as FAILED.',
    16_777_216,
    answerRange,
  ),
  assemblyMaxAnswerParts: settings.integer(
    'FDS_ASSEMBLY_MAX_ANSWER_PARTS',
    'Most messages in which an adaptor may answer an assembly request.',
    2000,
    { min: 1, max: 1_000_000 },
  ),
  assemblyMaxRequestBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_REQUEST_BYTES',
    'Most memory that the answers of all adaptors to one assembly request may take.',
    33_554_432,
    answerRange,
  ),
  assemblyMaxCallerBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_CALLER_BYTES',
    'Most memory that answers to the assembly requests of one caller may take at the same time.',
    67_108_864,
    answerRange,
  ),
  assemblyMaxTotalBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_TOTAL_BYTES',
    'Most memory that answers to all assembly requests may take at the same time.',
    134_217_728,
    answerRange,
  ),
  assemblyCircuitFailures: settings.integer(
    'FDS_ASSEMBLY_CIRCUIT_FAILURES',
    'Errors and full time-outs of an adaptor, one after the other, after which a process counts the adaptor as down in assembly requests.',
    20,
    { min: 1, max: 1_000_000 },
  ),
  assemblyCircuitSeconds: settings.integer(
    'FDS_ASSEMBLY_CIRCUIT_SECONDS',
    'Seconds until a process tries such an adaptor again with one question.',
    10,
    { min: 1, max: 86_400 },
  ),
} as const;
