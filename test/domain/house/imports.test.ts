import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Forbidden imports by folder, as written by a file one folder below. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  "src/protocol": ["hono/cors", "../../domain/limits.ts", "zod/v3"],
  "src/protocol/operations": ["hono/cors"],
  "src/domain": ["drizzle-orm/d1", "node:fs", "../../services/users/find.ts", "../../env.ts"],
  "src/domain/keys": ["node:fs"],
  "src/db": ["hono", "../../services/users/find.ts"],
  "src/services": ["hono/cors", "../../api/route.ts", "../../http/body/read.ts", "../../../durable-objects/bridge-pool/bridge-pool.ts"],
  "src/http": ["drizzle-orm", "../../db/tables.ts", "../../api/route.ts"],
  "src/docs": ["../../services/users/find.ts", "../../api/dashboard/route.ts"],
  "src/mcp": ["../../services/users/find.ts", "../../api/route.ts", "../../db/tables.ts"],
  "src/api": ["../../db/tables.ts", "drizzle-orm", "../../sandbox/routes.ts", "../../../test-network/main.ts"],
  "src/api/dashboard/contract": ["../../../../services/users/find.ts", "hono", "../../../route.ts"],
  "dashboard/src": ["zod", "node:fs", "../../../src/services/users/find.ts", "../../../src/api/dashboard/contract/contract.ts"],
  "dashboard/phone": ["zod", "../../../test-network/phone/chats.ts", "../../../src/services/users/find.ts", "../../src/api/client.ts"],
  "src/internal": ["../../db/tables.ts", "../../sandbox/routes.ts"],
  "src/sandbox": ["../../db/tables.ts", "../../../test-network/main.ts"],
  server: ["hono", "../../src/services/users/find.ts", "../../session-bridge/main.ts", "../../src/sandbox/host/demo.ts"],
  "src/sandbox/host": ["hono", "../../../services/users/find.ts", "../../../../session-bridge/main.ts"],
  "durable-objects": ["hono/cors", "node:fs", "../../src/http/body/read.ts", "../../src/db/tables.ts"],
  "durable-objects/bridge-pool": ["../../connection/connection.ts"],
  "durable-objects/shared": ["../../connection/connection.ts"],
  "session-bridge": ["../../src/domain/limits.ts", "../../durable-objects/bridge-pool/bridge-pool.ts", "../../test-network/main.ts"],
  "session-bridge/store": ["baileys"],
  "session-bridge/gateway": ["../../networks/baileys/driver.ts"],
  "test-network": [
    "../../src/domain/limits.ts",
    "../../durable-objects/bridge-pool/bridge-pool.ts",
    "../../session-bridge/session.ts",
    "drizzle-orm",
  ],
};

/** The alias for the repository's root, or for the bridge's in its own package. Other packages have none. */
function aliasOf(folder: string): { alias: string; root: string } | null {
  if (folder.startsWith("session-bridge")) return { alias: "#bridge", root: "session-bridge" };
  return /^(dashboard|test-network)/.test(folder) ? null : { alias: "#root", root: "" };
}

/** A relative specifier and, where possible, its equivalents through the package or from the package root. */
function spellingsOf(folder: string, specifier: string): string[] {
  if (!specifier.startsWith("../")) return [specifier];
  const target = posix.join(folder, "planted", specifier);
  if (/^src\/(domain|protocol|tracing)\//.test(target)) return [specifier, target.replace("src", "@gateway")];
  const { alias, root } = aliasOf(folder) ?? {};
  if (root === undefined || !target.startsWith(root)) return [specifier];
  return [specifier, `${alias}/${posix.relative(root, target)}`];
}

describe("the table of folders", () => {
  const planted = new Map<string, string>();
  let report = "";

  beforeAll(() => {
    for (const [folder, specifiers] of Object.entries(FORBIDDEN)) {
      const directory = mkdtempSync(join(ROOT, folder, "planted-"));
      planted.set(folder, directory);
      const lines = specifiers
        .flatMap((specifier) => spellingsOf(folder, specifier))
        .map((specifier, index) => `export * as planted${index} from "${specifier}";\n`);
      writeFileSync(join(directory, "planted.ts"), lines.join(""));
    }
    const oxlint = join(ROOT, "node_modules/oxlint/bin/oxlint");
    report = spawnSync(process.execPath, [oxlint, "--format", "unix", ...planted.values()], { cwd: ROOT, encoding: "utf8" }).stdout;
  });
  afterAll(() => {
    for (const directory of planted.values()) rmSync(directory, { recursive: true });
  });

  it.each(Object.entries(FORBIDDEN))("%s may not import %j", (folder, specifiers) => {
    const file = `${basename(planted.get(folder) ?? "")}/planted.ts:`;
    const lines = report.split("\n").filter((line) => line.includes(file) && line.includes("no-restricted-imports"));
    const forbidden = specifiers.flatMap((specifier) => spellingsOf(folder, specifier));
    const refused = forbidden.filter((specifier) => lines.some((line) => line.includes(`'${specifier}'`)));
    expect(refused, report).toEqual(forbidden);
  });
});
