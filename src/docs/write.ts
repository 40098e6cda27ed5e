// Builds the documents when the worker is built (build.mjs). The worker never imports this file, because it would bundle every text.
import { accountDocument } from "../api/docs/account/document.ts";
import { FAMILIES } from "../api/account/routes.ts";
import { connectionDocument } from "../api/docs/connection/document.ts";
import { documentFile, HELP, LLMS_FILE, PLACEHOLDERS, readingFile } from "../http/openapi/prepared.ts";
import type { Language } from "../http/openapi/text.ts";
import { llmsText } from "./llms.ts";
import { helpPage, readingPage } from "./reading-page.ts";

const LANGUAGES: readonly Language[] = ["en", "pt"];

const MAKERS = {
  connection: (language: Language) => connectionDocument(PLACEHOLDERS.APP_URL, language),
  account: (language: Language) => accountDocument(PLACEHOLDERS.BASE_URL, FAMILIES, language),
};

export function documentFiles(): Record<string, string> {
  const made = Object.entries(MAKERS).flatMap(([name, make]) =>
    LANGUAGES.map((language) => ({ name, language, document: make(language) })),
  );
  const english = made.filter(({ language }) => language === "en");
  return Object.fromEntries([
    ...made.map(({ name, language, document }) => [documentFile(name, language), JSON.stringify(document)]),
    ...made.map(({ name, language, document }) => [readingFile(name, language), readingPage(document, language)]),
    ...LANGUAGES.map((language) => [readingFile(HELP, language), helpPage(language)]),
    [LLMS_FILE, llmsText(english.map(({ name, document }) => ({ document, href: `${PLACEHOLDERS.APP_URL}/docs/${name}.json` })))],
  ]) as Record<string, string>;
}
