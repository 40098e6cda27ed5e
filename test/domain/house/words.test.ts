// Unclear identifiers were replaced by common terms; this test keeps them out.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
// Excludes folders temporarily created by another test.
const SOURCES = globSync("{src,durable-objects,session-bridge,test-network,dashboard,test,bench}/**/*.{ts,tsx,mjs}", { cwd: ROOT })
  .filter((name) => !/node_modules|\/dist\/|\/planted-/.test(name))
  .toSorted();

/** Retired words in identifiers, in any combination, with their replacements. A word that users read, such as "draft", is not retired. */
const RETIRED_WORDS: Readonly<Record<string, string>> = {
  door: "stub, client",
  doors: "stubs, routes",
  intake: "CommitHandler",
  ingest: "EventProjection",
  ingested: "ProjectionResult",
  taking: "ProjectionContext",
  taker: "EventHandlers",
  takers: "EventHandlers",
  sketch: "MessageBuilder",
  sketches: "MessageBuilders",
  sketchers: "MessageBuilders",
  seat: "SessionSocket",
  seats: "SessionSockets",
  succession: "Failover",
  visitor: "Principal",
  scene: "RenderContext",
  rendering: "RenderContext",
  renderings: "EventRenderers",
  dialect: "style",
  dialects: "styles",
  mirror: "WriteBehindCache",
  born: "pending",
  stir: "flush",
  moment: "at, timestamp",
  moments: "times",
  wish: "PlacementRequest, request",
  wishes: "requests",
  bury: "expire",
  greet: "register",
  tell: "notify, emit",
  tells: "notifies",
  told: "notified, lastNotified",
  untold: "pending",
  hear: "on…",
  hears: "on…",
  heard: "received, lastSeen",
};

/** Whole identifiers, and forms retired only as written. */
const RETIRED_FORMS: readonly RegExp[] = [
  /^Parts$|^[A-Z]\w*Parts$|^\w+PartsOf$|^partsOf$/,
  /^Visit$|^asVisitor$/,
  /^Flights?$|^flights?$/,
  /^neverLeft$|^missAbsent$|^tellLost$|^standingOrders$|^StandingOrders$/,
  /(^|_)(MOST|AT_ONCE|KEPT|REMEMBERED|PATIENCE)(_|$)|_EVERY_MS$|^EVERY_MS$/,
];

/** Names from libraries and the platform, and columns of schemas in use. */
const FOREIGN: ReadonlySet<string> = new Set(["formatToParts", "told", "told_revision"]);

/** The code without comments, strings and template text, which leaves identifiers and punctuation. */
function codeOf(source: string): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
  return source
    .replace(token, " ")
    .replace(/`(?:[^`\\]|\\.)*`/g, (template) => [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(" "));
}

function wordsOf(identifier: string): string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_$]+/)
    .filter((word) => word !== "");
}

function retiredIn(source: string): string[] {
  const identifiers = new Set(codeOf(source).match(/[A-Za-z_$][\w$]*/g) ?? []);
  return [...identifiers].filter(
    (name) =>
      !FOREIGN.has(name) &&
      (RETIRED_FORMS.some((form) => form.test(name)) || wordsOf(name).some((word) => Object.hasOwn(RETIRED_WORDS, word))),
  );
}

describe("identifiers", () => {
  it.each([
    ["class Intake {}", "Intake"],
    ["const MOST_REMEMBERED = 1;", "MOST_REMEMBERED"],
    ["this.#tellOwner(a)", "tellOwner"],
    ["return `${bridgeDoor}`;", "bridgeDoor"],
    ["type BoxParts = {};", "BoxParts"],
  ])("are read from code: %s", (code, name) => {
    expect(retiredIn(code)).toEqual([name]);
  });

  it.each(['const name = "tell";', "// tell them", "/* seat */ const a = 1;", "const text = `told ${value}`;", "const interfaceName = 1;"])(
    "are not read from text or comments: %s",
    (code) => {
      expect(retiredIn(code)).toEqual([]);
    },
  );

  it("contain no retired words", () => {
    const found = SOURCES.filter((name) => !name.endsWith("house/words.test.ts")).flatMap((name) =>
      retiredIn(readFileSync(join(ROOT, name), "utf8")).map((identifier) => `${name}: ${identifier}`),
    );
    expect(found).toEqual([]);
  });

  it("contain no retired words in names of files either", () => {
    const found = SOURCES.filter((name) =>
      name
        .replace(/\.(test\.)?(ts|tsx|mjs)$/, "")
        .split(/[/-]/)
        .some((word) => Object.hasOwn(RETIRED_WORDS, word) || word === "parts"),
    );
    expect(found).toEqual([]);
  });
});
