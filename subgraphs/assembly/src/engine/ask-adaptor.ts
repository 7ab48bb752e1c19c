import type { RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorAnswer, AdaptorQuestions } from '../bus/adaptor-questions.js';
import { propertiesToAsk } from '../domain/restriction.js';
import type { Enquiry } from './gathering.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import type { FanOutPlan } from './plan/plan-fan-out.js';

/** Asks adaptors with one message each for all the records that they hold, each by the adaptor's own key. */
export const askAdaptor = (
  questions: AdaptorQuestions,
  { request, version, restriction }: AssemblyScope,
  { holdings }: Pick<FanOutPlan, 'holdings'>,
  share: RequestShare,
): ((enquiry: Enquiry, signal: AbortSignal) => Promise<AdaptorAnswer>) => {
  const keys = new Map(holdings.map((holding) => [`${holding.recordUuid} ${holding.adaptorUuid}`, holding.drKey]));
  return ({ source, recordUuids }, signal) =>
    questions.ask(
      source.adaptorUuid,
      {
        domain: version.domainName,
        version: version.versionNumber,
        domainVersionUuid: version.domainVersionUuid,
        records: [...recordUuids].map((drUuid) => ({
          drUuid,
          drKey: keys.get(`${drUuid} ${source.adaptorUuid}`) ?? {},
        })),
        requestedProperties: propertiesToAsk(request, restriction?.at(source), recordUuids),
        ...(request.additionalParams === undefined ? {} : { additionalParams: request.additionalParams }),
        timeoutMilliseconds: request.timeout * 1000,
      },
      share,
      signal,
    );
};
