// OpenAPI documents in a second language. Their source texts are English; a catalogue holds the translation of each text by the text itself.

export type Language = "en" | "pt";

/** As HTML and `x-language` name them. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: "en", pt: "pt-BR" };

/** From English to another language. */
export type Catalogue = Readonly<Record<string, string>>;

/** The properties whose strings are prose. */
const PROSE: ReadonlySet<string> = new Set(["summary", "description", "x-displayName"]);
/** Properties that hold data, whatever is in them. */
const DATA: ReadonlySet<string> = new Set(["example", "examples", "default", "enum", "const"]);
/** Objects whose property names are no keywords: a field of a schema may be called `description`. */
const MAPS: ReadonlySet<string> = new Set(["properties", "schemas", "paths", "webhooks", "headers", "responses"]);

export const PARAGRAPH = "\n\n";

type Info = { title: string };

/** The document with every text that the catalogue has in its language; other texts stay as they are. */
export function translated<Document extends { info: Info }>(document: Document, catalogue: Catalogue): Document {
  return mapProse(document, (text) => (Object.hasOwn(catalogue, text) ? catalogue[text] : undefined) ?? text) as Document;
}

/** Every text of a document that a catalogue has to translate. */
export function proseOf(document: { info: Info }): Set<string> {
  const texts = new Set<string>();
  mapProse(document, (text) => {
    texts.add(text);
    return text;
  });
  return texts;
}

function mapProse({ info, ...rest }: { info: Info }, map: (text: string) => string): unknown {
  // Not `info.description`: there is a guide per language.
  return { info: { ...info, title: map(info.title) }, ...(mapped(rest, map, false) as object) };
}

function mapped(value: unknown, map: (text: string) => string, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, map, false));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    if (isMap) return [name, mapped(inner, map, false)];
    if (DATA.has(name)) return [name, inner];
    // Paragraph by paragraph: what follows from a row is added to what it says itself.
    if (PROSE.has(name) && typeof inner === "string") return [name, inner.split(PARAGRAPH).map(map).join(PARAGRAPH)];
    return [name, mapped(inner, map, MAPS.has(name))];
  });
  return Object.fromEntries(entries);
}
