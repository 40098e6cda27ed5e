import { accountDocument } from "../api/docs/account/document.ts";
import { FAMILIES } from "../api/account/routes.ts";
import { connectionDocument } from "../api/docs/connection/document.ts";
import type { OpenApiDocument } from "../http/openapi/shape.ts";
import type { Language } from "../http/openapi/text.ts";
import type { Settings } from "../env.ts";

const GENERATORS: Readonly<Record<string, (settings: Settings, language: Language) => OpenApiDocument>> = {
  connection: ({ APP_URL }, language) => connectionDocument(APP_URL, language),
  account: ({ BASE_URL }, language) => accountDocument(BASE_URL, FAMILIES, language),
};

export const DOCUMENT_NAMES: readonly string[] = Object.keys(GENERATORS);

const generated = new WeakMap<Settings, Map<string, OpenApiDocument>>();

export function documentNamed(name: string, settings: Settings, language: Language): OpenApiDocument | null {
  const generate = Object.hasOwn(GENERATORS, name) ? GENERATORS[name] : undefined;
  if (generate === undefined) return null;
  const known = generated.get(settings) ?? new Map<string, OpenApiDocument>();
  generated.set(settings, known);
  const key = `${name} ${language}`;
  const document = known.get(key) ?? generate(settings, language);
  known.set(key, document);
  return document;
}
