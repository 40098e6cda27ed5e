// The best description of content this version has no row for.

/** Where the network's messages keep their wording, most telling first. `a.b` is a field of a field. */
const PLACES = ["text", "caption", "contentText", "body.text", "description", "title", "name", "message", "productName", "orderTitle"];

export function textOfUnknown(value: unknown): string | null {
  for (const place of PLACES) {
    const found = place
      .split(".")
      .reduce<unknown>((at, key) => (at !== null && typeof at === "object" ? (at as Record<string, unknown>)[key] : undefined), value);
    if (typeof found === "string" && found !== "") return found;
  }
  return null;
}
