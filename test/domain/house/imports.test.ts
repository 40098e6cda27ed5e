import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** From the lowest to the highest; each may import those before it. */
const DRIVER_ROOMS = [
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
] as const;

/** One import per folder that the table of folders forbids. */
const FORBIDDEN: readonly [folder: string, specifier: string][] = [
  ["src/protocol", "hono/cors"],
  ["src/protocol", "../../domain/limits.ts"],
  ["src/protocol/commands", "../../../domain/limits.ts"],
  ["src/protocol/operations", "hono/cors"],
  ["src/domain", "drizzle-orm/d1"],
  ["src/domain", "../../services/users/find.ts"],
  ["src/services", "hono/cors"],
  ["src/services", "../../connection-api/routes.ts"],
  ["src/connection-api", "../../db/tables.ts"],
  ["src/connection-api", "../../dashboard-api/routes.ts"],
  ["src/dashboard-api", "../../db/tables.ts"],
  ["src/internal", "../../db/tables.ts"],
  ["durable-objects", "hono/cors"],
  ["durable-objects", "../../src/http/log.ts"],
  ["session-bridge", "../../src/domain/limits.ts"],
  ["session-bridge", "../../durable-objects/bridge-pool.ts"],
  ["session-bridge/store", "baileys"],
  ["session-bridge/gateway", "../../networks/baileys/driver.ts"],
  ...DRIVER_ROOMS.map((room, floor): [string, string] => [
    `session-bridge/networks/baileys/${room}`,
    floor + 1 < DRIVER_ROOMS.length ? `../../${DRIVER_ROOMS[floor + 1]}/planted.ts` : "../../driver.ts",
  ]),
];

describe("the table of folders", () => {
  it.each(FORBIDDEN)("%s may not import %s", (folder, specifier) => {
    const planted = mkdtempSync(join(ROOT, folder, "planted-"));
    try {
      writeFileSync(join(planted, "planted.ts"), `import { thing } from "${specifier}";\nexport const used = thing;\n`);
      const lint = spawnSync(process.execPath, [join(ROOT, "node_modules/oxlint/bin/oxlint"), planted], { cwd: ROOT, encoding: "utf8" });
      expect(lint.status, lint.stdout).not.toBe(0);
      expect(lint.stdout).toContain(`${basename(planted)}/planted.ts`);
      expect(lint.stdout).toContain("no-restricted-imports");
    } finally {
      rmSync(planted, { recursive: true });
    }
  });
});
