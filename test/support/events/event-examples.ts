// The documented examples of events are bodies that a journey delivered. A journey compares them; with RECORD_EXAMPLES=1 it writes them anew.
import { writeFileSync } from "node:fs";

type Body = Record<string, unknown>;

/** Names of all fields, at every depth; of a list, those of its first item. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== "object" || value === null) return null;
  const names = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(names.map(([name, inner]) => [name, shapeOf(inner)]));
}

/** Which delivered body has the same fields as the example. */
export function hasShapeOf(example: unknown): (body: unknown) => boolean {
  const wanted = JSON.stringify(shapeOf(example));
  return (body) => JSON.stringify(shapeOf(body)) === wanted;
}

export const isRecording = process.env["RECORD_EXAMPLES"] === "1";

/** `file`: relative to the repository's top. Of each type the first body that `prefer` takes, or the one with most fields. */
export function recordExamples(
  file: string,
  constant: string,
  head: string,
  types: readonly string[],
  bodies: readonly (readonly [type: string, body: Body])[],
  prefer: (type: string, body: any) => boolean,
): void {
  const size = (body: Body) => JSON.stringify(shapeOf(body)).length;
  const examples = types.map((type) => {
    const all = bodies.filter(([each]) => each === type).map(([, body]) => body);
    const chosen = all.find((body) => prefer(type, body)) ?? all.toSorted((a, b) => size(b) - size(a))[0];
    return [type, chosen];
  });
  const text = JSON.stringify(Object.fromEntries(examples), null, 2).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "https://app.example.com");
  writeFileSync(file, `${head}\nexport const ${constant} = ${text} as const satisfies Readonly<Record<string, unknown>>;\n`);
}
