// The documented event examples are bodies received by a journey. A journey compares them; with RECORD_EXAMPLES=1 it rewrites them.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

type Body = Record<string, unknown>;

/** Names of all fields at every depth; for a list, those of its first item. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== "object" || value === null) return null;
  const names = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(names.map(([name, inner]) => [name, shapeOf(inner)]));
}

/** Matches delivered bodies that have the same fields as the example. */
export function hasShapeOf(example: unknown): (body: unknown) => boolean {
  const wanted = JSON.stringify(shapeOf(example));
  return (body) => JSON.stringify(shapeOf(body)) === wanted;
}

export const isRecording = process.env["RECORD_EXAMPLES"] === "1";

type Recording = {
  /** Relative to the repository root. */
  file: string;
  constant: string;
  /** Comment written above the constant. */
  head: string;
  types: readonly string[];
  /** The currently documented examples. */
  current: Readonly<Record<string, unknown>>;
  bodies: readonly (readonly [type: string, body: Body])[];
  prefer: (type: string, body: any) => boolean;
};

/**
 * Writes the examples and returns them. A documented example stays while a delivered body has the same fields, so a new event changes
 * nothing else. Other types use the first body that `prefer` accepts, or the body with the most fields.
 */
export function recordExamples({ file, constant, head, types, current, bodies, prefer }: Recording): Readonly<Record<string, unknown>> {
  const size = (body: Body) => JSON.stringify(shapeOf(body)).length;
  const entries = types.map((type) => {
    const all = bodies.filter(([each]) => each === type).map(([, body]) => body);
    if (Object.hasOwn(current, type) && all.some(hasShapeOf(current[type]))) return [type, current[type]] as const;
    return [type, all.find((body) => prefer(type, body)) ?? all.toSorted((a, b) => size(b) - size(a))[0]] as const;
  });
  const examples = Object.fromEntries(entries);
  const text = JSON.stringify(examples, null, 2).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "https://app.example.com");
  writeFileSync(file, `${head}\nexport const ${constant} = ${text} as const satisfies Readonly<Record<string, unknown>>;\n`);
  execFileSync("node_modules/.bin/oxfmt", [file]);
  return examples;
}
