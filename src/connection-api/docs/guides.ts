// The guides of the Connection API, in the order in which they are shown: src/docs/guides/<language>/connection.
import firstSteps from "../../docs/guides/en/connection/01-first-steps.md";
import authentication from "../../docs/guides/en/connection/02-authentication.md";
import sending from "../../docs/guides/en/connection/03-sending.md";
import idempotency from "../../docs/guides/en/connection/04-idempotency.md";
import limits from "../../docs/guides/en/connection/05-limits.md";
import errors from "../../docs/guides/en/connection/06-errors.md";
import idsAndPages from "../../docs/guides/en/connection/07-ids-and-pages.md";
import events from "../../docs/guides/en/connection/08-events.md";
import firstStepsPt from "../../docs/guides/pt/connection/01-first-steps.md";
import authenticationPt from "../../docs/guides/pt/connection/02-authentication.md";
import sendingPt from "../../docs/guides/pt/connection/03-sending.md";
import idempotencyPt from "../../docs/guides/pt/connection/04-idempotency.md";
import limitsPt from "../../docs/guides/pt/connection/05-limits.md";
import errorsPt from "../../docs/guides/pt/connection/06-errors.md";
import idsAndPagesPt from "../../docs/guides/pt/connection/07-ids-and-pages.md";
import eventsPt from "../../docs/guides/pt/connection/08-events.md";
import type { Language } from "../../http/openapi/translate.ts";

export const GUIDES: Readonly<Record<Language, readonly string[]>> = {
  en: [firstSteps, authentication, sending, idempotency, limits, errors, idsAndPages, events],
  pt: [firstStepsPt, authenticationPt, sendingPt, idempotencyPt, limitsPt, errorsPt, idsAndPagesPt, eventsPt],
};
