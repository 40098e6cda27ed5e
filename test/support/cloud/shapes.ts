// The shape of a response or event, for comparing two kinds of numbers.

/** JSON types by field path. A field that occurs several times lists every type found, as `null|string`. */
export type Shape = Record<string, string>;

/** `words`: enumerated fields, whose quoted text replaces the type because programs decide by it. */
export function shapeOf(value: unknown, words: ReadonlySet<string> = new Set()): Shape {
  const shape: Shape = {};
  const see = (path: string, type: string) => {
    shape[path] = [...new Set([...(shape[path]?.split("|") ?? []), type])].sort().join("|");
  };
  const walk = (part: unknown, path: string, name: string): void => {
    if (Array.isArray(part)) {
      see(path, "array");
      for (const item of part) walk(item, `${path}[]`, name);
    } else if (typeof part === "object" && part !== null) {
      see(path, "object");
      for (const [key, field] of Object.entries(part)) walk(field, path === "" ? key : `${path}.${key}`, key);
    } else if (typeof part === "string" && words.has(name)) see(path, `"${part}"`);
    else see(path, part === null ? "null" : typeof part);
  };
  walk(value, "", "");
  return shape;
}

/** Fields that differ, with their types: paired number first, then Cloud API number. If a field is missing, so are its subfields. */
export function differences(what: string, paired: Shape, cloud: Shape): string[] {
  const differs = (path: string) => paired[path] !== cloud[path];
  const parents = (path: string) => [...path.matchAll(/\.|\[\]/g)].map(({ index }) => path.slice(0, index));
  return [...new Set([...Object.keys(paired), ...Object.keys(cloud)])]
    .filter((path) => differs(path) && !(paired[path] === undefined || cloud[path] === undefined ? parents(path).some(differs) : false))
    .map((path) => `${what} ${path}: ${paired[path] ?? "absent"}, ${cloud[path] ?? "absent"}`);
}
