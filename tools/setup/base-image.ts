// The bridges' base image, pinned by digest, because its publisher can move a tag (docs/operate/deployment.md, "Bridge image").
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { changeConfiguration, readConfiguration } from "./configuration.ts";
import type { Environment } from "./wrangler.ts";

const NODE_IMAGE = "NODE_IMAGE";
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const REGISTRY_MS = 60_000;

/** Returns what it found or wrote, for the operator. Asks the registry only if this release's base is not pinned yet. */
export async function pinBaseImage(root: string, environment: Environment): Promise<string> {
  const image = baseImageIn(readFileSync(join(root, "session-bridge/Dockerfile"), "utf8"));
  const { containers } = readConfiguration(root, environment);
  if (!containers.some(({ built }) => built)) return "no image is built";
  const isPinned = containers.every(({ built, imageVars }) => !built || imageVars[NODE_IMAGE]?.startsWith(`${image}@`) === true);
  if (isPinned || image.includes("@")) return `${image}, pinned already`;
  const digest = await digestOf(image);
  if (digest === null) return `${image}, not pinned, because Docker did not find its digest (docs/operate/deployment.md, "Bridge image")`;
  const pinned = `${image}@${digest}`;
  changeConfiguration(root, environment, {
    imageVars: containers.map(({ built, imageVars }) => (built ? { ...imageVars, [NODE_IMAGE]: pinned } : null)),
  });
  return `${image}, pinned to ${digest}`;
}

/** The Dockerfile's default base, such as node:24.21.0-bookworm-slim. */
export function baseImageIn(dockerfile: string): string {
  return /^ARG NODE_IMAGE=(\S+)/m.exec(dockerfile)?.[1] ?? "";
}

/** Null if Docker could not find the digest. */
async function digestOf(image: string): Promise<string | null> {
  const program = process.env["WRANGLER_DOCKER_BIN"] ?? "docker";
  const args = ["buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"];
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: REGISTRY_MS });
    return DIGEST.test(stdout.trim()) ? stdout.trim() : null;
  } catch {
    return null;
  }
}
