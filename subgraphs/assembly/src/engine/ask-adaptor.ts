import type { RequestedRecord } from '@fds/adaptor-protocol';
import type { RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorQuestions } from '../bus/adaptor-questions.js';
import { readAnswer, readTimestampAnswer } from '../domain/read-answer.js';
import type { SentRecords } from '../domain/source.js';
import { splitQuestion, type QuestionPart } from '../domain/split-question.js';
import { timestampSearchOf } from '../domain/temporal-parameters.js';
import { mapInTurn } from './map-in-turn.js';
import type { Enquiry } from './gathering.js';
import type { Visibility } from '../domain/visibility.js';
import type { CataloguedRecord } from '../store/record-store.js';
import type { AssemblyScope } from './plan/assembly-scope.js';

/** Most messages of one request that an adaptor has to handle at the same time. */
const maxAtOnce = 16;

const oneByOne = (parts: readonly QuestionPart[]): QuestionPart[] =>
  parts.flatMap(({ recordUuids, requestedProperties }) =>
    recordUuids.map((recordUuid) => ({ recordUuids: [recordUuid], requestedProperties })),
  );

/**
 * Asks adaptors for their records, each by the adaptor's own key, with one message, or with one for each set of
 * properties that the caller may see. A timestamp search needs a message for each record, because in the contract of
 * the bus the timestamps are next to the records of an answer.
 */
export const askAdaptor = (
  questions: AdaptorQuestions,
  { request, version, merge }: AssemblyScope,
  { records: catalogued, visible }: { readonly records: readonly CataloguedRecord[]; readonly visible: Visibility },
  share: RequestShare,
): ((enquiry: Enquiry, signal: AbortSignal) => Promise<SentRecords>) => {
  const held = new Map(catalogued.map(({ uuid, holdings }) => [uuid, holdings]));
  const { additionalParams } = request;
  const isSearch = timestampSearchOf(additionalParams) !== undefined;

  return async ({ source, recordUuids }, signal) => {
    const askPart = async ({ recordUuids: uuids, requestedProperties }: QuestionPart): Promise<SentRecords> => {
      const records = uuids.map((drUuid): RequestedRecord => ({
        drUuid,
        drKey: held.get(drUuid)?.get(source.adaptorUuid)?.drKey ?? {},
      }));
      const answer = await questions.ask(
        source.adaptorUuid,
        {
          domain: version.domainName,
          version: version.versionNumber,
          domainVersionUuid: version.domainVersionUuid,
          records,
          requestedProperties,
          ...(additionalParams === undefined ? {} : { additionalParams }),
          timeoutMilliseconds: Math.round(request.timeout * 1000),
        },
        share,
        signal,
      );
      const [first] = records;
      return isSearch && first !== undefined
        ? readTimestampAnswer(answer, first, version.model)
        : readAnswer(answer, records, version.model);
    };

    const parts = splitQuestion(recordUuids, merge, (recordUuid) => visible(source, recordUuid));
    const sent = await mapInTurn(isSearch ? oneByOne(parts) : parts, maxAtOnce, askPart);
    return new Map(sent.flatMap((each) => [...each]));
  };
};
