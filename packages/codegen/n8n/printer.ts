// Prints a value as TypeScript with unquoted keys, because n8n's linter reads only those.
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const WIDTH = 140;

export function printed(value: unknown, indent = ""): string {
  const line = inline(value);
  if (indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((each) => `${inner}${printed(each, inner)},\n`).join("")}${indent}]`;
  const rows = Object.entries(value).map(([name, each]) => `${inner}${key(name)}: ${printed(each, inner)},\n`);
  return `{\n${rows.join("")}${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${key(name)}: ${inline(each)}`)
    .join(", ")} }`.replace("{  }", "{}");
}

function key(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}
