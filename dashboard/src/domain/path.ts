// Fills the parameters of a route's path.

/** Calls `value` for each `{parameter}`, and encodes its result as one segment. */
export function filledPath(path: string, value: (parameter: string) => string | number): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => segment(String(value(parameter))));
}

/** URL parsers resolve `.` and `..` even if encoded, which would call another route. Encoded twice, they become an unknown id. */
function segment(id: string): string {
  return id === "." || id === ".." ? id.replaceAll(".", "%252e") : encodeURIComponent(id);
}
