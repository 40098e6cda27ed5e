// Upgrades data of the previous format: a backup that test/support/one-machine/make-data-fixture.ts made with an earlier release.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { restore } from "#root/server/backup/restore.ts";
import { FORMAT } from "#root/server/format.ts";
import { customer } from "../../support/clients.ts";
import type { FixtureContent } from "../../support/one-machine/make-data-fixture.ts";
import { type LocalNetwork, startLocalNetwork } from "../../support/one-machine/network.ts";
import { administrator, type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { ok } from "../../support/replies.ts";

const ARCHIVE = fileURLToPath(new URL("format-1.tar.gz", import.meta.url));

let network: LocalNetwork;
let gateway: ServedGateway;
let content: FixtureContent;
beforeEach(async () => {
  const unpacked = mkdtempSync(join(tmpdir(), "format-1-"));
  expect(spawnSync("tar", ["--extract", "--gzip", "--file", ARCHIVE], { cwd: unpacked }).status).toBe(0);
  content = JSON.parse(readFileSync(join(unpacked, "content.json"), "utf8")) as FixtureContent;
  const backup = join(unpacked, readdirSync(unpacked).find((name) => name.startsWith("gateway-")) ?? "");
  const prepare = async (data: string) => expect(await restore(backup, data, false, new Date())).toEqual({ ok: true, movedTo: null });
  network = await startLocalNetwork();
  gateway = await startServedGateway({ ...network.settings, BACKUP_TIME: "off" }, { prepare });
  rmSync(unpacked, { recursive: true });
});
afterEach(async () => {
  await gateway.dispose();
  await network.stop();
});

const storedFormat = () => (JSON.parse(readFileSync(join(gateway.data, "format"), "utf8")) as { format: number }).format;

async function expectContent(): Promise<void> {
  const { connection, friend, key, texts, webhook } = content;
  const api = customer({ app_url: gateway.url, demo: { connection: { api_key: key } } });
  const { data } = await ok(api.get(`/chats/${friend}/messages`));
  const stored = (data as { text: string | null }[]).map(({ text }) => text).filter((text) => text !== null && text !== "");
  expect(new Set(stored)).toEqual(new Set(texts));
  expect(stored.length).toBe(texts.length);
  const { dashboard } = await administrator(gateway);
  expect((await ok(dashboard("GET", `/connections/${connection}/webhook`))).data).toMatchObject({ url: webhook });
}

it("older data is upgraded by the first start, which says so once, and keeps all its content", async () => {
  expect(gateway.output()).toMatch(/"event":"host\.upgraded".*"from_format":1/);
  expect(gateway.output(), "the administrator exists").not.toContain("/set-password");
  expect(storedFormat()).toBe(FORMAT);
  await expectContent();
  await gateway.stop();
  await gateway.start();
  expect(gateway.output()).not.toContain("host.upgraded");
  await expectContent();
});

it("newer data is refused by an older release, in one sentence, with nothing written", async () => {
  await gateway.stop();
  writeFileSync(join(gateway.data, "format"), JSON.stringify({ format: FORMAT + 1, migrations: [] }));
  const files = () =>
    readdirSync(gateway.data, { recursive: true, encoding: "utf8" }).map((name) => [name, statSync(join(gateway.data, name)).mtimeMs]);
  const before = files();
  const { status, stdout, stderr } = gateway.refusedStart();
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^DATA_DIR: the data was written by a newer release of the gateway; install that release, [^\n]*\n$/);
  expect(files()).toEqual(before);
});
