// The documents there are, each drawn once per isolate.
import { accountDocument } from "../account-api/docs/document.ts";
import { ROUTES as ACCOUNT_ROUTES } from "../account-api/routes.ts";
import { connectionDocument } from "../connection-api/docs/document.ts";
import type { OpenApiDocument } from "../http/openapi/shape.ts";
import type { Settings } from "../env.ts";

/** By name: `/docs/<name>.json`. The first one is what `/docs` shows. */
const MAKERS: Readonly<Record<string, (settings: Settings) => OpenApiDocument>> = {
  connection: ({ APP_URL }) => connectionDocument(APP_URL),
  account: ({ BASE_URL }) => accountDocument(BASE_URL, ACCOUNT_ROUTES),
};

export const DOCUMENT_NAMES: readonly string[] = Object.keys(MAKERS);

const drawn = new WeakMap<Settings, Map<string, OpenApiDocument>>();

export function documentNamed(name: string, settings: Settings): OpenApiDocument | null {
  const make = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  if (make === undefined) return null;
  const known = drawn.get(settings) ?? new Map<string, OpenApiDocument>();
  drawn.set(settings, known);
  const document = known.get(name) ?? make(settings);
  known.set(name, document);
  return document;
}
