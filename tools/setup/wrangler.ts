// All calls to wrangler. SETUP_WRANGLER names another program, for tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { z } from "zod";
import { readJson } from "@gateway/protocol/json.ts";
import { SetupProblem } from "./problem.ts";

export type Environment = "production" | "staging";
export type Ran = { ok: boolean; stdout: string; stderr: string };
/** `input` is standard input, for secrets. `show` prints the command's output. */
export type Wrangler = (args: readonly string[], options?: { input?: string; show?: true }) => Promise<Ran>;

const QUIET = { CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };

/** Runs wrangler non-interactively. */
export function wranglerIn(root: string, environment: Environment): Wrangler {
  const program = process.env["SETUP_WRANGLER"] ?? join(root, "node_modules/wrangler/bin/wrangler.js");
  const chosen = environment === "production" ? "--env=" : `--env=${environment}`;
  return async (args, { input, show } = {}) => {
    const child = spawn(process.execPath, [program, ...args, chosen], { cwd: root, env: { ...process.env, ...QUIET } });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => {
      stdout.push(chunk);
      if (show) process.stdout.write(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr.push(chunk);
      if (show) process.stderr.write(chunk);
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    const [code] = (await once(child, "close")) as [number | null];
    return { ok: code === 0, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  };
}

/** Returns standard output. If wrangler fails, throws with its output. */
export async function mustRun(wrangler: Wrangler, args: readonly string[], remedy: string, input?: string): Promise<string> {
  const ran = await wrangler(args, input === undefined ? {} : { input });
  if (!ran.ok) throw new SetupProblem(`\`wrangler ${args.join(" ")}\` failed:\n${lastLines(ran)}`, remedy);
  return ran.stdout;
}

export function jsonIn<T>(stdout: string, schema: z.ZodType<T>): T {
  const start = stdout.search(/[[{]/);
  const read = start < 0 ? null : readJson(schema, stdout.slice(start));
  if (read === null)
    throw new SetupProblem(
      "wrangler did not print what was asked for",
      "Run `npm ci`: setup needs the version of wrangler in package.json.",
    );
  return read;
}

export function lastLines({ stdout, stderr }: Ran): string {
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(-12)
    .map((line) => `  ${line}`)
    .join("\n");
}
