// HTML without a library: values are escaped unless they are HTML already.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | null | false | undefined | readonly Value[];

/** Escapes every value; nothing, null and false leave no trace, lists are joined. How the source is broken into lines does not show. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const [first = "", ...rest] = parts.map((part) => part.replaceAll(/\s*\n\s*/g, " "));
  return new Html(first + rest.map((part, index) => shown(values[index]) + part).join(""));
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
