import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const START = join(ROOT, "src/sandbox/host/start.mjs");
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-bad-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function start(...args: string[]) {
  return startIn({}, ...args);
}

function startIn(env: Record<string, string>, ...args: string[]) {
  const free = ["--port", "0", "--network-port", "0"];
  return spawnSync(process.execPath, [START, ...free, "--state", join(directory, "state"), ...args], {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...process.env, ...env },
  });
}

/** A directory left by an earlier sandbox. */
function sandboxDirectory(name: string, ...more: string[]): string {
  for (const part of ["worker", ...more]) mkdirSync(join(directory, name, part), { recursive: true });
  return join(directory, name);
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .sort();

function expectOneLine(result: ReturnType<typeof start>, words: RegExp): void {
  expect(result.status).toBe(2);
  expect(result.stdout).toBe("");
  expect(result.stderr.trim().split("\n")).toHaveLength(1);
  expect(result.stderr).toMatch(words);
}

it("--help lists every flag that the documentation has", () => {
  const { status, stdout, stderr } = start("--help");
  expect([status, stderr]).toEqual([0, ""]);
  const documented = readFileSync(join(ROOT, "docs/use/sandbox.md"), "utf8").match(/(?<=^\| .*)--[a-z-]+/gm) ?? [];
  expect([...new Set(stdout.match(/(?<=^ {2})--[a-z-]+/gm))].sort()).toEqual([...new Set(documented)].sort());
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

describe("a start that cannot succeed ends with one clear line", () => {
  it("for an unknown flag", () => expectOneLine(start("--colour"), /Unknown option '--colour'; npm start -- --help lists/));
  it("for a port that is no number", () => expectOneLine(start("--port", "http"), /--port wants a number/));
  it("for a port in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const kept = sandboxDirectory("kept");
    expectOneLine(start("--port", String(port), "--state", kept, "--fresh"), new RegExp(`port ${port} is in use`));
    expect(readdirSync(kept), "--fresh has emptied nothing").toEqual(["worker"]);
    server.close();
  });
  it("for a ready file that cannot be written", () => {
    expectOneLine(start("--ready-file", join(directory, "nowhere", "ready.json")), /--ready-file .*nowhere\/ready\.json cannot be written/);
    expectOneLine(start("--ready-file", directory), /cannot be written/);
  });
  it("for numbers of the other network", () => {
    const simulated = sandboxDirectory("simulated", "network");
    expectOneLine(start("--state", simulated, "--live"), /belongs to simulated phones; give --live a --state of its own/);
    const real = sandboxDirectory("real", "live");
    expectOneLine(start("--state", real), /belongs to real phones; start it with --live/);
  });
  it("for a state directory that the system does not let anyone create", () => {
    expectOneLine(start("--state", "/proc/nope/state"), /\/proc\/nope\/state cannot be read and written \(E[A-Z]+\)/);
  });
  it("for a state directory that is a file", () => {
    const file = join(directory, "a-file");
    writeFileSync(file, "");
    expectOneLine(start("--state", file), /is not a directory/);
  });
  it("for a state directory that cannot be made", () => {
    const file = join(directory, "another-file");
    writeFileSync(file, "");
    expectOneLine(start("--state", join(file, "below")), /cannot be read and written \(ENOTDIR\)/);
  });
  it("for a state directory that takes no file", () => {
    const full = sandboxDirectory("full", "sandbox.pid");
    expectOneLine(start("--state", full), /full cannot be read and written \(EISDIR\)/);
  });
  it("for a directory that is not a sandbox's, before emptying it", () => {
    const precious = mkdtempSync(join(directory, "precious-"));
    writeFileSync(join(precious, "thesis.txt"), "");
    expectOneLine(start("--state", precious, "--fresh"), /does not look like a sandbox's directory/);
  });
  it("for a Node that is too old", () => {
    const old = spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `Object.defineProperty(process.versions, "node", { value: "20.1.0" }); await import(${JSON.stringify(START)});`,
      ],
      { encoding: "utf8" },
    );
    expect(old.status).toBe(2);
    expect(old.stderr.trim()).toBe("Node 24 or newer is needed, this is 20.1.0. Run `npm ci`, then `npm start`.");
  });
});

it("a part that always exits ends the sandbox with an explanation", () => {
  const { status, stdout, stderr } = startIn({ BRIDGE_LOG_LEVEL: "loud" });
  expect(status).toBe(1);
  expect(stdout, "logs are in their files").not.toContain('"event"');
  expect(stderr).toMatch(
    /^the sandbox could not start: the bridge exits right after its start\n {2}session bridge: bad settings: BRIDGE_LOG_LEVEL/,
  );
  expect(stderr).toMatch(/its logs are in .*state\/logs\n$/);
});

it("an unusable secret ends the sandbox, which names it and the reason, and with --verbose shows its logs", () => {
  const state = sandboxDirectory("short-secret");
  writeFileSync(join(state, ".dev.vars"), 'BRIDGE_SECRET="short"\n');
  const { status, stdout, stderr } = start("--state", state, "--verbose");
  expect(status).toBe(1);
  const kept = linesOf(readdirSync(join(state, "logs")).reduce((text, file) => text + readFileSync(join(state, "logs", file), "utf8"), ""));
  expect(linesOf(stdout).filter((line) => line.startsWith("{"))).toEqual(kept);
  expect(kept.join("\n")).toContain('"event":"process.not_started"');
  expect(stdout.match(/bridge cannot be started: .*/g)).toEqual([
    "bridge cannot be started: BRIDGE_SECRET: must be at least 32 characters; trying again",
  ]);
  expect(stderr).toMatch(
    /^the sandbox could not start: the bridge cannot be started\n {2}BRIDGE_SECRET: must be at least 32 characters\nits logs are in .*\n$/,
  );
});
