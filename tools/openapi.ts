// `npm run openapi` writes the OpenAPI documents to `docs/openapi`. Their diff shows a reviewer what a change does to the APIs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../docs/openapi", import.meta.url));
const BUILD = new URL("../src/docs/build.mjs", import.meta.url).href;

const LINE_CHARACTERS = 160;
const APIS = ["account", "connection"];

type Document = { info: { description: string } };

/** Only the English documents, because the others differ only in their texts. Omits the guides, which have their own files. */
export async function openApiFiles(): Promise<{ file: string; text: string }[]> {
  const { builtDocuments } = (await import(BUILD)) as { builtDocuments: () => Promise<string> };
  const built = await builtDocuments();
  return APIS.map((api) => {
    const { info, ...document } = JSON.parse(readFileSync(join(built, `${api}.en.json`), "utf8")) as Document;
    const { description: _guides, ...about } = info;
    return { file: join(FOLDER, `${api}.json`), text: `${formatted({ ...document, info: about }, "")}\n` };
  });
}

/** Puts a value on one line if it fits, so that the diff of an API change is short. */
function formatted(value: unknown, indent: string): string {
  const line = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= LINE_CHARACTERS) return line;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatted(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${formatted(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  for (const { file, text } of await openApiFiles()) writeFileSync(file, text);
}
