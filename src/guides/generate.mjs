// Collects the guides and their code in one file for the worker. Run it with `npm run guides`.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const GUIDES = fileURLToPath(new URL(".", import.meta.url));
export const TEXTS_FILE = `${GUIDES}guide-texts.json`;

const LANGUAGES = ["en", "pt"];
const APIS = ["connection", "account"];
/** `help` is for people who use the dashboard. */
const GUIDES_OF = [...APIS, "help"];

const read = (path) => readFileSync(GUIDES + path, "utf8").trim();
const files = (pattern) => globSync(pattern, { cwd: GUIDES }).toSorted();
const collect = (keys, make) => Object.fromEntries(keys.map((key) => [key, make(key)]));

/** `{ guides: { en: { connection: [markdown] } }, snippets: { connection: { name: { js: code } } } }`. */
export function guideTexts() {
  const guides = collect(LANGUAGES, (language) =>
    collect(GUIDES_OF, (topic) => files(`${language}/${topic}/*.md`).map((path) => read(path))),
  );
  const snippets = collect(APIS, (api) => {
    const byName = {};
    for (const path of files(`snippets/${api}/*`)) {
      const [name = "", language = ""] = basename(path).split(".");
      byName[name] = { ...byName[name], [language]: read(path) };
    }
    return byName;
  });
  return `${JSON.stringify({ guides, snippets }, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TEXTS_FILE, guideTexts());
