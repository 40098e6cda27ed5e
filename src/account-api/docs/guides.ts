// The guides of the Account API, in the order in which they are shown: src/docs/guides/<language>/account.
import firstSteps from "../../docs/guides/en/account/01-first-steps.md";
import authentication from "../../docs/guides/en/account/02-authentication.md";
import idempotency from "../../docs/guides/en/account/03-idempotency.md";
import limits from "../../docs/guides/en/account/04-limits.md";
import errors from "../../docs/guides/en/account/05-errors.md";
import shapes from "../../docs/guides/en/account/06-shapes.md";
import settings from "../../docs/guides/en/account/07-settings.md";
import events from "../../docs/guides/en/account/08-events.md";
import firstStepsPt from "../../docs/guides/pt/account/01-first-steps.md";
import authenticationPt from "../../docs/guides/pt/account/02-authentication.md";
import idempotencyPt from "../../docs/guides/pt/account/03-idempotency.md";
import limitsPt from "../../docs/guides/pt/account/04-limits.md";
import errorsPt from "../../docs/guides/pt/account/05-errors.md";
import shapesPt from "../../docs/guides/pt/account/06-shapes.md";
import settingsPt from "../../docs/guides/pt/account/07-settings.md";
import eventsPt from "../../docs/guides/pt/account/08-events.md";
import type { Language } from "../../http/openapi/translate.ts";

export const GUIDES: Readonly<Record<Language, readonly string[]>> = {
  en: [firstSteps, authentication, idempotency, limits, errors, shapes, settings, events],
  pt: [firstStepsPt, authenticationPt, idempotencyPt, limitsPt, errorsPt, shapesPt, settingsPt, eventsPt],
};
