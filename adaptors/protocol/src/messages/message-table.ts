import type { Check } from '../checks/check.js';
import type { Channel } from '../topics.js';
import { type AssemblyAnswer, assemblyAnswer, type AssemblyRequest, assemblyRequest } from './assembly.js';
import { type DataBatch, dataBatch } from './data-batch.js';
import {
  type DownDataEvent,
  downDataEvent,
  type LinkReport,
  linkReport,
  type UpDataEvent,
  upDataEvent,
} from './data-event.js';
import {
  type AdaptorError,
  adaptorError,
  type CheckRequest,
  checkRequest,
  type DiscoveredReport,
  discoveredReport,
  type LogEntry,
  logEntry,
  type OpsAnswer,
  opsAnswer,
  type OpsRequest,
  opsRequest,
  type StatusReport,
  statusReport,
  type WaitingReport,
  waitingReport,
} from './operations.js';
import { refusal, type Refusal, refusalAck, type RefusalAck, superseded, type Superseded } from './notices.js';
import { type Ack, ack, type Hello, hello } from './positions.js';

/** The message types of each channel, and their `data`. The list is closed: any other type is a fault. */
export interface ChannelData {
  'down/data': { 'fds.data.v1': DownDataEvent; 'fds.data.batch.v1': DataBatch };
  'down/ack': { 'fds.ack.v1': Ack };
  'down/hello': { 'fds.hello.v1': Hello };
  'down/ops': { 'fds.ops.v1': OpsRequest; 'fds.refused.v1': Refusal; 'fds.superseded.v1': Superseded };
  'down/req': { 'fds.assembly.request.v1': AssemblyRequest };
  'down/check': { 'fds.ops.v1': OpsRequest };
  'up/data': { 'fds.data.v1': UpDataEvent; 'fds.link.v1': LinkReport; 'fds.data.batch.v1': DataBatch };
  'up/ack': { 'fds.ack.v1': Ack };
  'up/hello': { 'fds.hello.v1': Hello };
  'up/ops': {
    'fds.ops.answer.v1': OpsAnswer;
    'fds.adaptor.error.v1': AdaptorError;
    'fds.refused.ack.v1': RefusalAck;
    'fds.waiting.v1': WaitingReport;
    'fds.discovered.v1': DiscoveredReport;
    'fds.check.v1': CheckRequest;
  };
  'up/status': { 'fds.status.v1': StatusReport };
  'up/rsp': { 'fds.assembly.answer.v1': AssemblyAnswer };
  'up/link': { 'fds.link.v1': LinkReport };
  'up/log': { 'fds.log.v1': LogEntry };
}

export type MessageType<C extends Channel> = keyof ChannelData[C] & string;

type MessageTable = { readonly [C in Channel]: { readonly [T in MessageType<C>]: Check<ChannelData[C][T]> } };

export const messageTable: MessageTable = {
  'down/data': { 'fds.data.v1': downDataEvent, 'fds.data.batch.v1': dataBatch },
  'down/ack': { 'fds.ack.v1': ack },
  'down/hello': { 'fds.hello.v1': hello },
  'down/ops': { 'fds.ops.v1': opsRequest, 'fds.refused.v1': refusal, 'fds.superseded.v1': superseded },
  'down/req': { 'fds.assembly.request.v1': assemblyRequest },
  'down/check': { 'fds.ops.v1': opsRequest },
  'up/data': { 'fds.data.v1': upDataEvent, 'fds.link.v1': linkReport, 'fds.data.batch.v1': dataBatch },
  'up/ack': { 'fds.ack.v1': ack },
  'up/hello': { 'fds.hello.v1': hello },
  'up/ops': {
    'fds.ops.answer.v1': opsAnswer,
    'fds.adaptor.error.v1': adaptorError,
    'fds.refused.ack.v1': refusalAck,
    'fds.waiting.v1': waitingReport,
    'fds.discovered.v1': discoveredReport,
    'fds.check.v1': checkRequest,
  },
  'up/status': { 'fds.status.v1': statusReport },
  'up/rsp': { 'fds.assembly.answer.v1': assemblyAnswer },
  'up/link': { 'fds.link.v1': linkReport },
  'up/log': { 'fds.log.v1': logEntry },
};
