// The operator's tool that creates a bridge credential.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";

const [OLD, NEW] = [`1:${"a".repeat(32)}`, `2:${"b".repeat(32)}`];
const old = secretsOf(OLD);
const both = secretsOf(`${NEW} ${OLD}`);

it("the tool prints a credential, and never the secret", () => {
  const tool = fileURLToPath(new URL("../../../tools/bridge-credential.ts", import.meta.url));
  const mint = (args: string[], input: string, env = {}) =>
    execFileSync(process.execPath, [tool, ...args], { input, env: { ...process.env, ...env }, stdio: "pipe" }).toString();
  expect(mint(["eu-1"], `${NEW} ${OLD}\n`)).toBe(`${makeBridgeCredential(both, "eu-1")}\n`);
  expect(mint(["eu-1"], "", { BRIDGE_SECRET: OLD })).toBe(`${makeBridgeCredential(old, "eu-1")}\n`);
  expect(mint(["eu-1", "--pool", "weur/1"], OLD)).toBe(`${makeBridgeCredential(old, "eu-1", "weur/1")}\n`);
  for (const [args, input] of [
    [["eu-1"], "short-but-secret"],
    [[], OLD],
    [["a b"], OLD],
    [["a", "--pool", "mars/1"], OLD],
    [["a", "b"], OLD],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...args], { input, encoding: "utf8" });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("BRIDGE_SECRET");
    expect(stderr).not.toContain("short-but-secret");
  }
});
