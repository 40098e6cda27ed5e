export type Language = "en" | "pt";

export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: "en", pt: "pt-BR" };

/** Both languages are required, so that no text compiles without its translation. */
export type Text = Readonly<Record<Language, string>>;

export const API_TITLES: Readonly<Record<"connection" | "account", Text>> = {
  connection: { en: "Connection API", pt: "API da conexão" },
  account: { en: "Account API", pt: "API da conta" },
};

export const PORTUGUESE_DESCRIPTION = "x-description-pt";

export function inLanguage<T>(document: T, language: Language): T {
  return chosen(document, language) as T;
}

function chosen(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((item) => chosen(item, language));
  if (typeof value !== "object" || value === null) return value;
  const { [PORTUGUESE_DESCRIPTION]: portuguese, ...own } = value as Record<string, unknown>;
  const entries = Object.entries(own).map(([name, inner]) => [name, chosen(inner, language)] as const);
  return Object.fromEntries(language === "pt" && portuguese !== undefined ? [...entries, ["description", portuguese]] : entries);
}
