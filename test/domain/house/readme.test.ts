import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readFlags } from "../../../src/sandbox/host/flags.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const readme = readFileSync(`${ROOT}README.md`, "utf8");
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { scripts: Record<string, string> };

describe("the README", () => {
  it.each([...new Set(readme.match(/`(?:src|durable-objects|session-bridge|migrations|test|bench|wrangler\.toml|\.oxlintrc)[\w./-]*`/g))])(
    "names %s, which is there",
    (name) => {
      expect(existsSync(ROOT + name.slice(1, -1))).toBe(true);
    },
  );

  it.each([...new Set(readme.match(/npm run [\w:-]+/g))])("says %s, which is a script", (command) => {
    expect(scripts).toHaveProperty([command.slice("npm run ".length)]);
  });

  it("shows the flags of npm start with their defaults", () => {
    const flags = [...readme.matchAll(/`(--[a-z-]+)(?: ([^`]+))?`/g)].flatMap(([, name = "", value]) =>
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
  const bridge = readFileSync(`${ROOT}session-bridge/README.md`, "utf8");

  it.each([...new Set(bridge.match(/`[a-z-]+\.ts`/g))])("names %s, which is there", (name) => {
    expect(existsSync(`${ROOT}session-bridge/networks/baileys/${name.slice(1, -1)}`)).toBe(true);
  });

  it("lists every setting, and no other", () => {
    const read = readFileSync(`${ROOT}session-bridge/settings.ts`, "utf8").match(/^ {2}BRIDGE_[A-Z_]+(?=: )/gm) ?? [];
    const listed = bridge.match(/^\| `BRIDGE_.*?\|/gm)?.flatMap((row) => row.match(/BRIDGE_[A-Z_]+/g) ?? []) ?? [];
    expect(listed.toSorted()).toEqual([...new Set(read.map((name) => name.trim()))].toSorted());
  });
});
