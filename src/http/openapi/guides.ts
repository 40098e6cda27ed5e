// The guides of a surface as one text: Markdown files whose `{{marks}}` are filled from the surface itself.
import { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { ENGLISH } from "../../domain/failures/english.ts";
import { PORTUGUESE } from "../../domain/failures/portuguese.ts";
import { failuresOf } from "./failure-responses.ts";
import type { DocumentedSurface } from "./surface.ts";
import type { Language } from "./translate.ts";

const SENTENCES = { en: ENGLISH, pt: PORTUGUESE };

export function guideText(surface: DocumentedSurface, language: Language): string {
  const values: Readonly<Record<string, string>> = {
    server: surface.server,
    errors: errorRows(surface, language),
    events: eventRows(surface, language),
  };
  const filled = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`no guide has a value for ${mark}`);
      return value;
    });
  return surface.guides[language].map((text) => filled(text).trim()).join("\n\n");
}

/** `| 401 | code | sentence |`: one row per code as the surface writes it. */
function errorRows(surface: DocumentedSurface, language: Language): string {
  // The first of the codes that a surface writes in the same way says it best.
  const codes = Object.keys(FAILURE_ANSWERS) as (keyof typeof FAILURE_ANSWERS)[];
  const answered = new Set([
    "https_required",
    "route_not_found",
    ...surface.routes.flatMap((route) => [...failuresOf(surface, route)]),
  ] as const);
  const rows = new Map<string, string>();
  for (const code of codes) {
    const name = surface.failure.name(code);
    if (answered.has(code) && !rows.has(name))
      rows.set(name, `| ${FAILURE_ANSWERS[code].status} | \`${name}\` | ${SENTENCES[language][code]} |`);
  }
  return [...rows.values()].join("\n");
}

/** `| event | summary |`. */
function eventRows({ webhooks, portuguese }: DocumentedSurface, language: Language): string {
  return webhooks.events
    .map(({ type, summary }) => `| \`${type}\` | ${language === "en" ? summary : (portuguese[summary] ?? summary)} |`)
    .join("\n");
}
