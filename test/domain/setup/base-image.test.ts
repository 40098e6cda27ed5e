// `npm run setup` pins the base image of bridges; a shell script replaces Docker.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { baseImageIn, pinBaseImage } from "#root/tools/setup/base-image.ts";
import { readConfiguration } from "#root/tools/setup/configuration.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const IMAGE = baseImageIn(readFileSync(join(ROOT, "session-bridge/Dockerfile"), "utf8"));
const DIGEST = `sha256:${"0f".repeat(32)}`;
const PIN = { NODE_IMAGE: `${IMAGE}@${DIGEST}` };

let root: string;
const path = (name: string) => join(root, name);
const toml = () => readFileSync(path("wrangler.toml"), "utf8");
const change = (name: string, from: string, to: string) => writeFileSync(path(name), readFileSync(path(name), "utf8").replaceAll(from, to));
const pins = (environment: "production" | "staging") => readConfiguration(root, environment).containers.map(({ imageVars }) => imageVars);
const asked = () => (existsSync(path("asked")) ? readFileSync(path("asked"), "utf8").trim().split("\n") : []);

/** `script`: the fake Docker's body. */
function docker(script: string): void {
  writeFileSync(path("docker"), `#!/bin/sh\necho "$@" >> "${path("asked")}"\n${script}\n`);
  chmodSync(path("docker"), 0o755);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "base-image-"));
  mkdirSync(path("session-bridge"));
  for (const file of ["wrangler.toml", "session-bridge/Dockerfile"]) copyFileSync(join(ROOT, file), path(file));
  docker(`echo ${DIGEST}`);
  vi.stubEnv("WRANGLER_DOCKER_BIN", path("docker"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

it("setup pins every container's base to the digest that the registry names, once", async () => {
  expect(await pinBaseImage(root, "production")).toBe(`${IMAGE}, pinned to ${DIGEST}`);
  expect(asked()).toEqual([`buildx imagetools inspect ${IMAGE} --format {{.Manifest.Digest}}`]);
  expect(pins("production")).toEqual(Array.from({ length: 7 }, () => PIN));
  expect(pins("staging")).toEqual(Array.from({ length: 7 }, () => ({})));
  const written = toml();
  expect(await pinBaseImage(root, "production")).toBe(`${IMAGE}, pinned already`);
  expect([toml() === written, asked().length]).toEqual([true, 1]);
  await pinBaseImage(root, "staging");
  expect(pins("staging")).toEqual(Array.from({ length: 7 }, () => PIN));
});

it("setup pins the base of a new release, and keeps the operator's own build arguments", async () => {
  const own = 'image_vars = { FFMPEG = "no", NODE_IMAGE = "node:22.0.0-bookworm-slim@sha256:00" }\n';
  change("wrangler.toml", '[[containers]]\nclass_name = "BridgeContainer"\n', `[[containers]]\nclass_name = "BridgeContainer"\n${own}`);
  await pinBaseImage(root, "production");
  expect(pins("production").slice(0, 2)).toEqual([{ FFMPEG: "no", ...PIN }, PIN]);
  const next = IMAGE.replace(/\d+\.\d+\.\d+/, "99.0.0");
  change("session-bridge/Dockerfile", IMAGE, next);
  await pinBaseImage(root, "production");
  expect(pins("production")[0]).toEqual({ FFMPEG: "no", NODE_IMAGE: `${next}@${DIGEST}` });
});

it.each(["exit 1", "echo none"])("setup changes nothing and says so when Docker does not name a digest: %s", async (script) => {
  docker(script);
  const before = toml();
  expect(await pinBaseImage(root, "production")).toContain("not pinned");
  expect(toml()).toBe(before);
});

it("setup asks for no digest if no image is built, or the Dockerfile has the digest", async () => {
  change("session-bridge/Dockerfile", IMAGE, PIN.NODE_IMAGE);
  expect(await pinBaseImage(root, "production")).toBe(`${PIN.NODE_IMAGE}, pinned already`);
  change("wrangler.toml", 'image = "./session-bridge/Dockerfile"', `image = "registry.cloudflare.com/shop/bridge@${DIGEST}"`);
  change("wrangler.toml", 'image_build_context = "."\n', "");
  expect(await pinBaseImage(root, "production")).toBe("no image is built");
  expect(asked()).toEqual([]);
});
