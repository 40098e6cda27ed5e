// The page lists every log event, and only events that are logged; other pages quote only real log lines.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TROUBLE_KINDS } from "@gateway/protocol/bridge-socket.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const sourcesOf = (folders: string): string =>
  globSync(`${folders}/**/*.ts`, { cwd: ROOT, exclude: (name) => name.includes("node_modules") })
    .map((name) => readFileSync(join(ROOT, name), "utf8"))
    .join("\n");

const named = (found: Iterable<RegExpMatchArray>): string[] => [...new Set([...found].map(([, name = ""]) => name))].toSorted();

/** A log line in the code: its event, and the text of its fields. */
type Written = { event: string; fields: string };

const written = (matches: Iterable<RegExpMatchArray>): Written[] =>
  [...matches].map(({ groups }) => ({ event: groups?.["event"] ?? "", fields: groups?.["fields"] ?? "" }));

const WORKER = sourcesOf("{src,durable-objects}");
const BRIDGE = sourcesOf("session-bridge");

/** Log calls of each part: `log("event", …)` in the worker and its objects, `logger.warn(…, "event")` in the bridge. */
const LINES = {
  "Worker and objects": written(
    WORKER.matchAll(/\b(?:log|formatLogLine)\(\s*"(?<event>[^"]+)"(?:,\s*(?<fields>\{[^;]*?\}|errorFields\(\w+\))\s*(?:\)|,[^;{}]*\);))?/g),
  ),
  "Session bridge": written(
    BRIDGE.matchAll(
      /\.(?:trace|debug|info|warn|error|fatal)\((?:(?<fields>(?:(?!\.(?:debug|info|warn|error)\()[^;])*?),)?\s*"(?<event>[a-z_]+\.[a-z_]+)"\s*\)/g,
    ),
  ),
};
const LOGGED = Object.entries(LINES).map(
  ([heading, lines]) => [heading, [...new Set(lines.map(({ event }) => event))].toSorted()] as const,
);

/** Fields on every line of a session bridge or one of its sessions (`session-bridge/log.ts`, `session-bridge/session.ts`). */
const ALWAYS = ["level", "time", "process", "bridge", "connection", "generation"];
/** Error fields of both parts. */
const OF_ERRORS: Readonly<Record<string, readonly string[]>> = {
  errorFacts: ["error", "code"],
  errorFields: ["error", "message", "stack"],
};

function fieldsOf(text: string): string[] {
  const errors = Object.entries(OF_ERRORS).flatMap(([name, fields]) => (text.includes(`${name}(`) ? fields : []));
  // Keys of the outermost object only: nested, called and quoted parts are removed.
  let flat = text
    .replaceAll(/"[^"]*"/g, "0")
    .replace(/^\s*\{/, "")
    .replace(/\}\s*$/, "");
  for (let before = ""; before !== flat;) {
    before = flat;
    flat = flat.replaceAll(/\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\]/g, "");
  }
  const names = flat.split(",").flatMap((part) => /^\s*(\w+)\s*(?::|$)/.exec(part)?.[1] ?? []);
  return text.trim().startsWith("{") ? [...names, ...errors] : errors;
}

const FIELDS = new Map<string, Set<string>>();
for (const { event, fields } of Object.values(LINES).flat())
  FIELDS.set(event, new Set([...(FIELDS.get(event) ?? ALWAYS), ...fieldsOf(fields)]));

/** Log lines quoted on a page: `event field field=value`, with a value that is a word or number in the code. */
function linesOf(text: string): { event: string; said: string[] }[] {
  return [...text.matchAll(/`([a-z_]+\.(?!(?:ts|md)`)[a-z_]+)((?: [a-z_]+(?:=\w+)?)*)`/g)]
    .map(([, event = "", said = ""]) => ({ event, said: said.split(" ").filter((one) => one !== "") }))
    .filter(({ event, said }) => said.length > 0 || FIELDS.has(event) || PARTS.has(event.split(".")[0] ?? ""));
}
const PARTS = new Set([...FIELDS.keys()].map((event) => event.split(".")[0] ?? ""));

function problemsOf(text: string): string[] {
  return linesOf(text).flatMap(({ event, said }) => {
    const fields = FIELDS.get(event);
    if (fields === undefined) return [`${event}: never logged`];
    return said.flatMap((one) => {
      const [field = "", value] = one.split("=");
      if (!fields.has(field)) return [`${event}: no field ${field}`];
      return value === undefined || WORDS.has(value) ? [] : [`${event}: ${field} is never ${value}`];
    });
  });
}
/** Words and numbers in the code, which may be field values. */
const WORDS = new Set([...`${WORKER}${BRIDGE}`.matchAll(/(?<=")\w+(?=")|\b\d+\b/g)].map(([word]) => word));

const page = readFileSync(join(ROOT, "docs/operate/log-events.md"), "utf8");
const metricsPage = readFileSync(join(ROOT, "docs/operate/metrics.md"), "utf8");

describe.each(LOGGED)("the events %s", (heading, logged) => {
  const section = page.split(`## ${heading}\n`)[1]?.split(/^#/m)[0] ?? "";
  const rows = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, names = ""]) => names).join(" ");

  it("are the events of docs/operate/log-events.md", () => {
    expect(logged.length).toBeGreaterThan(30);
    expect(named(rows.matchAll(/`([^`]+)`/g))).toEqual(logged);
  });
});

/** Bridge metrics (docs/operate/metrics.md, "Metrics"). */
const METRICS = new Set([...metricsPage.matchAll(/`((?:gateway|nodejs|process)_\w+)`/g)].map(([, name]) => name));

describe.each(["docs/operate/first-day.md", "docs/operate/library-upgrade.md"])("%s", (name) => {
  const text = readFileSync(join(ROOT, name), "utf8");

  it("names log lines that the code writes, with their fields", () => {
    expect(linesOf(text).length).toBeGreaterThan(5);
    expect(problemsOf(text)).toEqual([]);
  });

  it("names metrics and kinds of troubles that exist", () => {
    const used = [...text.matchAll(/`((?:gateway|nodejs|process)_\w+)/g)].map(([, metric = ""]) => metric);
    const kinds = [...text.matchAll(/kind(?:=|: )"(\w+)"/g)].map(([, kind = ""]) => kind);
    expect(used.filter((metric) => !METRICS.has(metric))).toEqual([]);
    expect(kinds.filter((kind) => !(TROUBLE_KINDS as readonly string[]).includes(kind))).toEqual([]);
  });
});

it("a page that names a line, field or value that is never logged is refused", () => {
  const wrong = "`network.shut`, `network.closed code=515 cause`, `network.closed reason=tired`, `session.qr`, `docs/use/a.md`";
  expect(problemsOf(wrong)).toEqual([
    "network.shut: never logged",
    "network.closed: no field cause",
    "network.closed: reason is never tired",
    "session.qr: never logged",
  ]);
});
