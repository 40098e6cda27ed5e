// A release that cannot be built, for example because its packages are not installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dataProblem, openDataFolder } from "#root/server/data-folder.ts";
import { FORMAT } from "#root/server/format.ts";
import { freePort } from "#root/server/ports.ts";
import { SERVE } from "../../support/one-machine/served-gateway.ts";

/** Makes the build of the dashboard fail, in whichever process runs it. */
const NO_BUILD = "--import=data:text/javascript,if(process.argv[1]?.endsWith('build-assets.mjs'))process.exit(1)";

let directory: string;
let data: string;
let port: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "failed-start-"));
  data = join(directory, "data");
  port = String((await freePort(0)) ?? 0);
});
afterEach(() => rmSync(directory, { recursive: true }));

function expectNotBuilt(): void {
  const { status, stderr } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", SERVE], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, PORT: port, DATA_DIR: data, BACKUP_DIR: join(directory, "backups"), BACKUP_TIME: "off", NODE_OPTIONS: NO_BUILD },
  });
  expect(stderr).toMatch(/^the gateway could not start: [^]*the dashboard could not be built/);
  expect(status).toBe(1);
}

it("a release that cannot be built leaves the data to the older release", () => {
  mkdirSync(data);
  expect(openDataFolder(data)).toMatchObject({ ok: true });
  const older = JSON.stringify({ format: FORMAT - 1, migrations: [] });
  writeFileSync(join(data, "format"), older);
  expectNotBuilt();
  expect(readFileSync(join(data, "format"), "utf8")).toBe(older);
});

it("a first start that cannot build can be repeated", () => {
  expectNotBuilt();
  expect([existsSync(join(data, "format")), dataProblem(data)]).toEqual([false, null]);
});
