import { FAILURE_ANSWERS } from "@gateway/domain/failures/answers.ts";
import { ENGLISH } from "@gateway/domain/failures/english.ts";
import { PORTUGUESE } from "@gateway/domain/failures/portuguese.ts";
import { guide, type GuideTable } from "../../guides/guides.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { failuresOf } from "./failure-responses.ts";
import type { DocumentedSurface } from "./surface.ts";
import type { Language } from "./text.ts";

const FAILURE_TEXTS = { en: ENGLISH, pt: PORTUGUESE } as const;
const BEFORE_ROUTES: readonly FailureCode[] = ["https_required", "route_not_found", "method_not_allowed"];

const COLUMNS = {
  en: { events: ["Event", "When"], errors: ["Status", "Code", "When"] },
  pt: { events: ["Evento", "Quando"], errors: ["Status", "Código", "Quando"] },
} as const;

export function guideOf(surface: DocumentedSurface, language: Language): string {
  return guide(surface.guides, language, {
    url: surface.server,
    events: eventTable(surface, language),
    errors: errorTable(surface, language),
  });
}

function eventTable({ webhooks }: DocumentedSurface, language: Language): GuideTable {
  const rows = webhooks.events.map(({ type, summary }) => [`\`${type}\``, summary[language]]);
  return { columns: COLUMNS[language].events, rows };
}

/** One row per public code: the first failure with that code describes it best. */
function errorTable(surface: DocumentedSurface, language: Language): GuideTable {
  const answered = new Set([...BEFORE_ROUTES, ...surface.routes.flatMap((route) => failuresOf(surface, route))]);
  const rows = new Map<string, readonly string[]>();
  for (const [code, { status }] of Object.entries(FAILURE_ANSWERS) as [FailureCode, { status: number }][]) {
    const name = surface.failure.name(code);
    if (!answered.has(code) || rows.has(name)) continue;
    rows.set(name, [String(status), `\`${name}\``, FAILURE_TEXTS[language][code]]);
  }
  return { columns: COLUMNS[language].errors, rows: [...rows.values()] };
}
