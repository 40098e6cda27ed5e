import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { panel } from "#root/src/sandbox/host/banner.ts";
import { isOnPath } from "#root/server/files.ts";
import { HELP, readFlags } from "#root/src/sandbox/host/flags.ts";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";

const READY = {
  app_url: "http://127.0.0.1:8787",
  dashboard_url: "http://127.0.0.1:8787/",
  network_url: null,
  graph_url: null,
  admin: { email: "admin@example.com", password: "p" },
  demo: { email: "demo@example.com", api_key: "acc_x", connection: { phone: null, api_key: "svc_x" }, contact: null, cloud: null },
} as unknown as Ready;

it("the panel tells at start if the machine cannot convert sound and video", () => {
  const flags = readFlags([]);
  if (!("flags" in flags)) throw new Error("no flags");
  const shown = (converter: boolean) => panel(READY, flags.flags, 1_000, { logDirectory: "logs", converter });
  expect(shown(false)).toContain("ffmpeg is not on the PATH");
  expect(shown(true)).not.toContain("ffmpeg");
});

it("the panel shows where to find emails, which signing up and invitations need", () => {
  const flags = readFlags([]);
  if (!("flags" in flags)) throw new Error("no flags");
  const shown = panel(READY, flags.flags, 1_000, { logDirectory: "logs", converter: true });
  expect(shown).toContain("http://127.0.0.1:8787/sandbox/mail");
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

it("the help separates each option from its description", () => {
  const options = HELP.split("\n").filter((line) => line.startsWith("  --"));
  expect(options.length).toBeGreaterThan(5);
  for (const line of options) expect(line).toMatch(/^ {2}--\S+( \S+)? {2,}\S/);
});

it("a program is found on the path", () => {
  const folder = mkdtempSync(join(tmpdir(), "path-"));
  writeFileSync(join(folder, "ffmpeg"), "");
  const path = `/nowhere:${folder}`;
  expect(isOnPath("ffmpeg", path)).toBe(false);
  chmodSync(join(folder, "ffmpeg"), 0o755);
  expect([isOnPath("ffmpeg", path), isOnPath("ffmpeg", "/nowhere")]).toEqual([true, false]);
  rmSync(folder, { recursive: true });
});
