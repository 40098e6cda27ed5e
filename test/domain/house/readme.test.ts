import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { readFlags } from "#root/src/sandbox/host/flags.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

describe("the sandbox's page", () => {
  it("shows the flags of npm start with their defaults", () => {
    const page = readFileSync(`${ROOT}docs/use/sandbox.md`, "utf8");
    const flags = [...page.matchAll(/`(--[a-z-]+)(?: ([^`]+))?`/g)].flatMap(([, name = "", value]) =>
      value === undefined ? [name] : [name, value],
    );
    const read = readFlags(
      flags
        .filter((word) => !["FILE", "--help"].includes(word))
        .map((word) => (word === "--ready-file" ? "--ready-file=ready.json" : word)),
    );
    expect(read).toMatchObject({
      ok: true,
      flags: { port: 8787, networkPort: 8790, fresh: true, strict: true, noLimits: true, live: true, verbose: true },
    });
  });
});

describe("the page about events", () => {
  const page = readFileSync(`${ROOT}docs/use/events.md`, "utf8");
  const sectionOf = (heading: string) => page.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? "";
  const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

  it("lists every event of the Connection API, and no other", () => {
    const named = [...sectionOf("Connection API events").matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) => codeIn(cell));
    expect(named.toSorted()).toEqual([...CONNECTION_EVENTS, "webhook.test"].toSorted());
  });

  it("lists every event of the Account API, and no other", () => {
    const [list = ""] = sectionOf("Account API events").split(/\bThe\s+envelope\b/);
    expect(codeIn(list).toSorted()).toEqual([...ACCOUNT_EVENTS].toSorted());
  });
});

describe("the bridge's README", () => {
  it("lists every setting, and no other", () => {
    const bridge = readFileSync(`${ROOT}session-bridge/README.md`, "utf8");
    const read = readFileSync(`${ROOT}session-bridge/settings.ts`, "utf8").match(/^ {2}BRIDGE_[A-Z_]+(?=: )/gm) ?? [];
    const listed = bridge.match(/^\| `BRIDGE_.*?\|/gm)?.flatMap((row) => row.match(/BRIDGE_[A-Z_]+/g) ?? []) ?? [];
    expect(listed.toSorted()).toEqual([...new Set(read.map((name) => name.trim()))].toSorted());
  });

  it("lists every registry of a session's state, and no other", () => {
    const declared = globSync("session-bridge/networks/**/*.ts", { cwd: ROOT }).flatMap((name) =>
      [...readFileSync(`${ROOT}${name}`, "utf8").matchAll(/\bconst (\w+) = perSession\(/g)].map(([, registry = ""]) => registry),
    );
    const readme = readFileSync(`${ROOT}session-bridge/README.md`, "utf8");
    const listed = [...readme.matchAll(/^\| `(\w+Of)` \|/gm)].map(([, registry = ""]) => registry);
    expect(declared).not.toEqual([]);
    expect(listed.toSorted()).toEqual(declared.toSorted());
  });
});
