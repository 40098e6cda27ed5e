// Builds the documents when the worker is built (build.mjs). The worker never imports this file, because it would bundle every text.
import { accountDocument } from "../api/docs/account/document.ts";
import { FAMILIES } from "../api/account/routes.ts";
import { connectionDocument } from "../api/docs/connection/document.ts";
import { documentFile, HELP, LLMS_FILE, PLACEHOLDERS, readingFile } from "../http/openapi/prepared.ts";
import type { Language } from "../http/openapi/text.ts";
import { llmsText } from "./llms.ts";
import { helpPage, readingPage } from "./reading-page.ts";
import { referencePage } from "./reference-page.ts";

const LANGUAGES: readonly Language[] = ["en", "pt"];

const MAKERS = {
  connection: (language: Language) => connectionDocument(PLACEHOLDERS.APP_URL, language),
  account: (language: Language) => accountDocument(PLACEHOLDERS.BASE_URL, FAMILIES, language),
};

export async function documentFiles(): Promise<Record<string, string>> {
  const made = (["connection", "account"] as const).flatMap((name) =>
    LANGUAGES.map((language) => ({ name, language, document: MAKERS[name](language) })),
  );
  const english = made.filter(({ language }) => language === "en");
  const pages = await Promise.all([
    ...made.map(async ({ name, language, document }) => [
      readingFile(name, language),
      await referencePage(name, language, readingPage(document, language)),
    ]),
    ...LANGUAGES.map(async (language) => [readingFile(HELP, language), await referencePage(HELP, language, helpPage(language))]),
  ]);
  return Object.fromEntries([
    ...made.map(({ name, language, document }) => [documentFile(name, language), JSON.stringify(document)]),
    ...pages,
    [LLMS_FILE, llmsText(english.map(({ name, document }) => ({ document, href: `${PLACEHOLDERS.APP_URL}/docs/${name}.json` })))],
  ]) as Record<string, string>;
}
