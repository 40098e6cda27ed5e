import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const MAX_FILES_PER_FOLDER = 25;
const PRODUCTION = /^(src|durable-objects|server|session-bridge|test-network|dashboard)\//;

const API = ["src/http", "src/services", "src/domain", "src/protocol", "src/env.ts", "src/settings.ts", "src/log.ts"];

/** Allowed imports of each folder, or file of `src`, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "src/protocol": [],
  "src/log.ts": [],
  "src/env.ts": ["src/settings.ts"],
  "src/settings.ts": ["src/domain", "src/protocol", "src/tracing"],
  "src/tracing": ["src/protocol"],
  "src/domain": ["src/protocol"],
  "src/db": ["src/protocol"],
  "src/services": ["src/db", "src/domain", "src/protocol", "src/tracing", "src/env.ts", "src/settings.ts", "src/log.ts"],
  "src/guides": [],
  "src/http": ["src/services", "src/domain", "src/protocol", "src/tracing", "src/env.ts", "src/settings.ts", "src/log.ts", "src/guides"],
  "src/api/dashboard/contract": ["src/domain", "src/protocol"],
  "src/api": [...API, "src/api/dashboard/contract"],
  "src/internal": API,
  "src/docs": ["src/http", "src/api", "src/domain", "src/guides"],
  "src/mcp": ["src/http", "src/domain", "src/protocol", "src/env.ts"],
  "src/app.ts": [...API, "src/api", "src/internal", "src/docs", "src/mcp"],
  "durable-objects": ["src/domain", "src/protocol", "src/services", "src/tracing", "src/env.ts", "src/settings.ts", "src/log.ts"],
  "dashboard/phone": ["dashboard", "test-network", "src/domain"],
  dashboard: ["src/api/dashboard/contract", "src/domain", "src/protocol"],
  "session-bridge": ["src/protocol", "src/tracing"],
  // The test network uses only the domain's QR code renderer (`oxlint.config.ts`).
  "test-network": ["src/protocol", "src/domain", "session-bridge"],
};

const DRIVER = "session-bridge/networks/baileys/";
/** Folders of the bridge's driver, from lowest to highest. Each may import those before it. */
const DRIVER_FOLDERS = [
  "session",
  "durability",
  "addressing",
  "socket",
  "content",
  "queries",
  "memory",
  "media",
  "outbound",
  "commands",
  "inbound",
  "driver.ts",
];

/** Nested folders that count as separate layers. */
const OWN_LAYERS = ["src/api/dashboard/contract", "dashboard/phone"];

const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 })
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && !file.includes("/planted-"));
const sources = new Map(tracked.flatMap((file) => (read(file) === null ? [] : [[file, read(file) ?? ""] as const])));

/** Type imports count: a cycle of types is still a cycle for readers. */
const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));

describe("the tree", () => {
  it("has no import cycle", () => {
    expect(circles().map((circle) => circle.sort())).toEqual([]);
  });

  it("imports zod by namespace, so that the worker's bundle leaves out its locales", () => {
    const whole = /^import \{ z\b.*\} from "(zod|@hono\/zod-openapi)";$/m;
    const found = [...sources].filter(([file, text]) => PRODUCTION.test(file) && whole.test(text));
    expect(found.map(([file]) => file)).toEqual([]);
  });

  it("imports nothing from a higher layer", () => {
    const upward = [...imports].flatMap(([file, targets]) => {
      const allowed = MAY_IMPORT[layerOf(file)];
      if (allowed === undefined) return [];
      const foreign = targets.filter((target) => layerOf(target) !== layerOf(file) && !allowed.includes(layerOf(target)));
      return foreign.map((target) => `${file} -> ${target}`);
    });
    expect(upward).toEqual([]);
  });

  it("has the same rules in the table of src/README.md", () => {
    const names = new Map(Object.keys(MAY_IMPORT).flatMap((layer) => (/^src\/[a-z]+(\.ts)?$/.test(layer) ? [[nameOf(layer), layer]] : [])));
    const rows = (read("src/README.md") ?? "").matchAll(/^\| `([a-z]+)\/` \|.*\| ?([^|]*?) ?\|$/gm);
    const documented = [...rows].flatMap(([, folder = "", cell = ""]) => {
      const named = cell.split(/[,;]? /).filter((word) => names.has(word));
      return MAY_IMPORT[`src/${folder}`] === undefined ? [] : [[folder, named.toSorted()] as const];
    });
    const ruled = Object.entries(MAY_IMPORT).flatMap(([layer, allowed]) =>
      /^src\/[a-z]+$/.test(layer)
        ? [
            [
              nameOf(layer),
              allowed
                .map(nameOf)
                .filter((name) => names.has(name))
                .toSorted(),
            ] as const,
          ]
        : [],
    );
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(ruled));
  });

  it("imports nothing from a higher layer within the bridge's driver", () => {
    const heightOf = (file: string) =>
      file.startsWith(DRIVER) ? DRIVER_FOLDERS.indexOf(file.slice(DRIVER.length).split("/")[0] ?? "") : -1;
    const upward = [...imports].flatMap(([file, targets]) => {
      const height = heightOf(file);
      return height === -1 ? [] : targets.filter((target) => heightOf(target) > height).map((target) => `${file} -> ${target}`);
    });
    expect(upward).toEqual([]);
    expect(DRIVER_FOLDERS.filter((_, height) => ![...sources.keys()].some((file) => heightOf(file) === height))).toEqual([]);
  });

  it("imports src by its alias, never relatively, from durable-objects", () => {
    const relative = [...sources].filter(([file, text]) => file.startsWith("durable-objects/") && /["'](\.\.\/)+src\//.test(text));
    expect(relative.map(([file]) => file)).toEqual([]);
  });

  it("imports the rest of src by its alias, never relatively, from src/api", () => {
    const relative = [...sources].filter(([file]) => file.startsWith("src/api/")).flatMap(([file, text]) => relativeImports(file, text));
    expect(relative.filter((target) => !target.startsWith("src/api/"))).toEqual([]);
  });

  it("climbs at most two folders in an import", () => {
    const climbing = [...sources].filter(([, text]) => /\bfrom ["'](\.\.\/){3}/.test(text));
    expect(climbing.map(([file]) => file)).toEqual([]);
  });

  it("has a file of routes for each contract of the dashboard's API, under the same name", () => {
    const areasIn = (folder: string) =>
      tracked.flatMap((file) => (posix.dirname(file) === `src/api/dashboard/${folder}` ? [posix.basename(file, ".ts")] : []));
    expect(areasIn("routes")).toEqual(areasIn("contract").filter((area) => area !== "common" && area !== "contract"));
  });

  it("has no crowded folder", () => {
    const counts = new Map<string, number>();
    for (const file of sources.keys()) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
    const crowded = [...counts].filter(([, count]) => count > MAX_FILES_PER_FOLDER);
    expect(crowded).toEqual([]);
  });
});

/** The name of a layer in the table of `src/README.md`. */
function nameOf(layer: string): string {
  return layer.replace(/^src\//, "").replace(/\.ts$/, "");
}

/** Null if the list names a file that no longer exists. */
function read(file: string): string | null {
  try {
    return readFileSync(posix.join(ROOT, file), "utf8");
  } catch {
    return null;
  }
}

function relativeImports(file: string, text: string): string[] {
  return [...text.matchAll(/["'](\.\.?\/[^"']+\.tsx?)["']/g)].map(([, path = ""]) => posix.join(posix.dirname(file), path));
}

function importsOf(file: string, text: string): string[] {
  const specifiers = text.matchAll(/^\s*(?:import|export)\b[^;"']*?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm);
  return [...specifiers].map(([, from, dynamic]) => targetOf(file, from ?? dynamic ?? "")).filter((target) => sources.has(target));
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("@gateway/")) return specifier.replace("@gateway", "src");
  if (specifier.startsWith("#root/")) return specifier.slice("#root/".length);
  if (specifier.startsWith("#bridge/")) return specifier.replace("#bridge", "session-bridge");
  return posix.join(posix.dirname(file), specifier);
}

/** The table's folder that contains the file. */
function layerOf(file: string): string {
  const own = OWN_LAYERS.find((folder) => file.startsWith(`${folder}/`));
  if (own !== undefined) return own;
  const [top = "", second = ""] = file.split("/");
  return top === "src" ? `${top}/${second}` : top;
}

/** Strongly connected components of more than one file (Tarjan). */
function circles(): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    low.set(file, own);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      const reached = index.has(target) ? (stack.includes(target) ? (index.get(target) ?? own) : own) : visit(target);
      low.set(file, Math.min(low.get(file) ?? own, reached));
    }
    const lowest = low.get(file) ?? own;
    if (lowest === own) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1) found.push(component);
    }
    return lowest;
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return found;
}
