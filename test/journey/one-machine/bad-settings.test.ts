// Settings that cannot work: one line that names the setting, exit 1, nothing written.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { freePort } from "#root/server/ports.ts";
import { preparedWorker, WORKERS } from "#root/server/runtime/prepared-worker.ts";
import { SERVE } from "../../support/one-machine/served-gateway.ts";

let directory: string;
let port: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "bad-settings-"));
  port = String((await freePort(0)) ?? 0);
});
afterEach(() => rmSync(directory, { recursive: true }));

function expectRefused(settings: Record<string, string>, words: RegExp): void {
  const before = readdirSync(directory, { recursive: true });
  const result = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", SERVE], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, PORT: port, BACKUP_DIR: join(tmpdir(), "backups"), ...settings },
  });
  expect([result.status, result.stdout]).toEqual([1, ""]);
  expect(result.stderr.trim().split("\n")).toHaveLength(1);
  expect(result.stderr).toMatch(words);
  expect(readdirSync(directory, { recursive: true })).toEqual(before);
}

it("bad settings of the environment are refused in one line", () => {
  expectRefused({ DOMAIN: "https://x" }, /^DOMAIN: must be a name such as gateway\.example\.com\n$/);
  expectRefused({ BILLING_URL: "ftp://x" }, /^BILLING_URL: /);
  expectRefused({ DATA_DIR: directory, BACKUP_DIR: join(directory, "backups") }, /^BACKUP_DIR: must be outside DATA_DIR/);
});

it("bad settings of gateway.env are refused in one line", () => {
  writeFileSync(join(directory, "gateway.env"), "TRUSTED_PROXIES=caddy\n");
  expectRefused({}, /^TRUSTED_PROXIES: must be addresses or blocks/);
});

it("a port in use is refused in one line", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(Number(port), "127.0.0.1", resolve));
  expectRefused({}, /^PORT: port \d+ is in use\n$/);
});

it("a data folder with foreign files, or of a newer release, is refused in one line", () => {
  writeFileSync(join(directory, "format"), JSON.stringify({ format: 99, migrations: [] }));
  expectRefused({ DATA_DIR: directory }, /^DATA_DIR: the data was written by a newer release of the gateway; .*\(format 99;/);
  rmSync(join(directory, "format"));
  writeFileSync(join(directory, "thesis.txt"), "");
  expectRefused({ DATA_DIR: directory }, /^DATA_DIR: .* holds thesis\.txt, but no data of a gateway/);
  expect(existsSync(join(directory, "thesis.txt"))).toBe(true);
});

it("the production worker has nothing of the sandbox in it", async () => {
  const [production, sandbox] = [await preparedWorker(WORKERS.production), await preparedWorker(WORKERS.sandbox)];
  for (const trace of ["/sandbox", "SANDBOX_", "sandbox_mail", "/setup", "/storage", "d1_statements"]) {
    expect([trace, production.script.includes(trace)]).toEqual([trace, false]);
    expect([trace, sandbox.script.includes(trace)]).toEqual([trace, true]);
  }
});
