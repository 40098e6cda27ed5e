import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readFlags } from "../../../src/sandbox/host/flags.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

describe("the sandbox's page", () => {
  it("shows the flags of npm start with their defaults", () => {
    const page = readFileSync(`${ROOT}docs/sandbox.md`, "utf8");
    const flags = [...page.matchAll(/`(--[a-z-]+)(?: ([^`]+))?`/g)].flatMap(([, name = "", value]) =>
      value === undefined ? [name] : [name, value],
    );
    const read = readFlags(
      flags.filter((word) => word !== "FILE").map((word) => (word === "--ready-file" ? "--ready-file=ready.json" : word)),
    );
    expect(read).toMatchObject({
      ok: true,
      flags: { port: 8787, networkPort: 8790, fresh: true, strict: true, noLimits: true, live: true },
    });
  });
});

describe("the bridge's README", () => {
  it("lists every setting, and no other", () => {
    const bridge = readFileSync(`${ROOT}session-bridge/README.md`, "utf8");
    const read = readFileSync(`${ROOT}session-bridge/settings.ts`, "utf8").match(/^ {2}BRIDGE_[A-Z_]+(?=: )/gm) ?? [];
    const listed = bridge.match(/^\| `BRIDGE_.*?\|/gm)?.flatMap((row) => row.match(/BRIDGE_[A-Z_]+/g) ?? []) ?? [];
    expect(listed.toSorted()).toEqual([...new Set(read.map((name) => name.trim()))].toSorted());
  });
});
