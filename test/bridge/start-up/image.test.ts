// session-bridge/Dockerfile, executed line by line as far as possible without Docker: files are copied into an empty folder, npm runs with
// the same flags, and the bridge runs as an unprivileged user who may write only to the temporary folder.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { digestOfSources } from "#root/session-bridge/build.ts";
import { freePort } from "#root/server/ports.ts";
import { BRIDGE_CREDENTIAL, FakeGateway } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Debian's `node` in the image; here any unprivileged user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

type Instruction = { name: string; text: string };

/** Instructions in order, one per line, without comments. */
function instructionsOf(dockerfile: string): Instruction[] {
  const joined = dockerfile.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "");
  return [...joined.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = "", text = ""]) => ({ name, text }));
}

const folder = mkdtempSync(join(tmpdir(), "bridge-image-"));
/** Stands for the image's `/`. */
const image = join(folder, "image");
const temporary = join(folder, "tmp");
const instructions = instructionsOf(readFileSync(join(ROOT, "session-bridge/Dockerfile"), "utf8"));
const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").trim().split("\n");
const only = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text);

let gateway: FakeGateway;
let bridge: ChildProcess | null = null;
let output = "";

/** As in Docker, the last matching line decides. */
function isSent(path: string): boolean {
  const fits = (line: string) => path === line || path.startsWith(`${line}/`) || matchesGlob(path, line) || matchesGlob(path, `${line}/**`);
  const last = ignored.findLast((line) => fits(line.replace("!", "")));
  return last?.startsWith("!") === true;
}

beforeAll(async () => {
  gateway = await new FakeGateway().start();
  let directory = image;
  for (const { name, text } of instructions) {
    if (name === "WORKDIR") mkdirSync((directory = join(image, text)), { recursive: true });
    if (name === "COPY") copy(text.split(" "), directory);
    // Debian packages are not installed here, and `npm cache clean` would clear this machine's own cache.
    if (name === "RUN" && text.startsWith("npm "))
      run(
        text.split(" && ").filter((one) => !one.startsWith("npm cache")),
        directory,
      );
  }
  mkdirSync(join(image, "usr/local/bin"), { recursive: true });
  copyFileSync(process.execPath, join(image, "usr/local/bin/node"));
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  for (const open of [folder, image]) chmodSync(open, 0o755);
  execFileSync("chmod", ["-R", "a+rX,a-w", image]);
});
afterAll(async () => {
  bridge?.kill("SIGKILL");
  await gateway.stop();
  execFileSync("chmod", ["-R", "u+w", folder]);
  rmSync(folder, { recursive: true, force: true });
});

function copy(words: readonly string[], directory: string): void {
  const [to = "", ...sources] = words.toReversed();
  for (const source of sources) {
    const target = to.endsWith("/") ? join(directory, to, basename(source)) : join(directory, to);
    cpSync(join(ROOT, source), target, { recursive: true, filter: (path) => path === join(ROOT, source) || isSent(relative(ROOT, path)) });
  }
}

function run(commands: readonly string[], cwd: string): void {
  // Packages already fetched for the repository are not downloaded again.
  const env = { ...process.env, npm_config_prefer_offline: "true", NODE_ENV: "" };
  for (const command of commands) execFileSync("sh", ["-c", command], { cwd, env, stdio: "pipe" });
}

/** Runs an image command in exec form, with its settings and user. */
function start(text: string, env: Readonly<Record<string, string>>): ChildProcess {
  const [program = "", ...args] = JSON.parse(text) as string[];
  const cwd = join(image, only("WORKDIR").at(-1) ?? "");
  return spawn(join(image, "usr/local/bin", program), args, { cwd, env: { ...settings(), TMPDIR: temporary, ...env }, ...NOBODY });
}

const pairs = (name: string) =>
  Object.fromEntries(only(name).flatMap((text) => text.split(" ").map((pair) => pair.split("=", 2) as [string, string])));

/** The settings of an image built without arguments: one that references an argument has its default. */
function settings(): Record<string, string> {
  const defaults = pairs("ARG");
  const filled = (value: string) => value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => defaults[name] ?? "");
  return Object.fromEntries(Object.entries(pairs("ENV")).map(([name, value]) => [name, filled(value)]));
}

it("the image installs what it needs from Debian in one layer, and from npm by the lock file", () => {
  const [debian, npm, ...more] = only("RUN");
  expect(debian).toMatch(/apt-get update && apt-get install -y --no-install-recommends ffmpeg && rm -rf \/var\/lib\/apt\/lists\/\*/);
  expect(npm).toMatch(/^npm ci --workspace session-bridge --omit=dev .*&& npm cache clean --force$/);
  expect(more).toEqual([]);
});

it("the image runs as an unprivileged user on read-only files, dials in and is healthy", async () => {
  expect(instructions.findIndex(({ name }) => name === "USER")).toBeGreaterThan(
    instructions.findLastIndex(({ name }) => ["RUN", "COPY"].includes(name)),
  );
  expect(only("USER")).toEqual(["node"]);
  const port = String(await freePort(0));
  bridge = start(only("CMD")[0] ?? "[]", {
    BRIDGE_GATEWAY_URL: gateway.url,
    BRIDGE_CREDENTIAL,
    BRIDGE_HEALTH_PORT: port,
    BRIDGE_HEALTH_HOST: "127.0.0.1",
  });
  for (const stream of [bridge.stdout, bridge.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await eventually("it dials in", 120_000, () => {
    if (bridge?.exitCode !== null) throw new Error(`it ended: ${output}`);
    return gateway.controlFrames.some(({ type }) => type === "hello");
  });
  const hello = gateway.controlFrames.find((frame) => frame.type === "hello");
  expect(hello?.build).toBe(digestOfSources(join(image, only("WORKDIR").at(-1) ?? "")));
  const health = start((only("HEALTHCHECK")[0] ?? "").split("CMD ")[1] ?? "[]", { BRIDGE_HEALTH_PORT: port });
  expect(await once(health, "exit")).toEqual([0, null]);

  const touch = `require("fs").writeFileSync("/proc/self/cwd/mine", "")`;
  const [code] = (await once(start(JSON.stringify(["node", "-e", touch]), {}), "exit")) as [number];
  expect(code).not.toBe(0);
  expect(output).not.toMatch(/EACCES|EROFS/);
  bridge.kill("SIGTERM");
  expect(await once(bridge, "exit")).toEqual([0, null]);
});
