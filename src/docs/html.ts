// HTML without a library: values are escaped unless they are HTML already.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | null | false | undefined | readonly Value[];

/** Escapes every value; nothing, null and false leave no trace, lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => (index === 0 ? "" : shown(values[index - 1])) + part).join(""));
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function shown(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(shown).join("");
  return escaped(String(value));
}
