// Makes a backup of another release's data, for the test of the upgrade: node test/support/one-machine/make-data-fixture.ts CHECKOUT ARCHIVE
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { phones } from "../clients.ts";
import { eventually } from "../eventually.ts";
import { ok } from "../replies.ts";
import { PNG } from "../sample-files.ts";
import { startLocalNetwork } from "./network.ts";
import { pairNumber } from "./paired-number.ts";
import { firstAdministrator, startServedGateway } from "./served-gateway.ts";

const NUMBER = "5511940000041";
const FRIEND = "5511940000042";
const WITHIN_MS = 120_000;

/** Stored in the archive beside the backup. */
export type FixtureContent = { connection: number; friend: string; key: string; texts: string[]; picture: string; webhook: string };

const [, , checkout = "", archive = ""] = process.argv;
const network = await startLocalNetwork();
const gateway = await startServedGateway(network.settings, { program: join(resolve(checkout), "server/start.mjs") });
try {
  const { dashboard } = await firstAdministrator(gateway);
  const phone = phones(network);
  await phone.create(FRIEND, "Friend");
  await ok(phone.call("PATCH", `/phones/${FRIEND}`, { reply: null }));
  const { id, key, api } = await pairNumber(gateway, network, dashboard, NUMBER);
  const texts = ["Bom dia", "Tem pão?", "Tem sim"];
  const webhook = "https://shop.example.com/hook";
  await ok(dashboard("PUT", `/connections/${id}/webhook`, { url: webhook }), 201);
  await ok(api.text(FRIEND, texts[0] ?? ""));
  await phone.send(FRIEND, { to: NUMBER, text: texts[1] });
  await eventually("the question", WITHIN_MS, async () =>
    JSON.stringify((await ok(api.get(`/chats/${FRIEND}/messages`))).data).includes(texts[1] ?? ""),
  );
  await ok(api.text(FRIEND, texts[2] ?? ""));
  const { message_id: picture } = await ok(api.call("POST", "/messages/image", { to: FRIEND, media: { base64: PNG.toString("base64") } }));
  await gateway.stop();
  const made = await gateway.command("backup/backup-command.ts");
  if (made.code !== 0) throw new Error(made.output);
  const [name = ""] = readdirSync(gateway.backups);
  const content: FixtureContent = { connection: id, friend: FRIEND, key, texts, picture: picture as string, webhook };
  writeFileSync(join(gateway.backups, "content.json"), JSON.stringify(content));
  const { status } = spawnSync("tar", ["--create", "--gzip", "--owner=0", "--group=0", "--file", resolve(archive), name, "content.json"], {
    cwd: gateway.backups,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  await gateway.dispose();
  await network.stop();
}
