// A backup under load, the loss of the machine, and the restored gateway.
import { readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type LocalNetwork, startLocalNetwork } from "../../support/one-machine/network.ts";
import { pairNumber } from "../../support/one-machine/paired-number.ts";
import { firstAdministrator, type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { ok } from "../../support/replies.ts";
import { PNG } from "../../support/sample-files.ts";
import { RepeatedSends } from "../robustness/load/repeated-sends.ts";

const NUMBER = "5511940000011";
const FRIEND = "5511940000012";
const BEFORE = 20;
const DURING = 60;
const BACKED_UP_AFTER = 20;
const WITHIN_MS = 120_000;

let network: LocalNetwork;
let gateway: ServedGateway;
beforeEach(async () => {
  network = await startLocalNetwork();
  gateway = await startServedGateway({ ...network.settings, BACKUP_TIME: "off" });
});
afterEach(async () => {
  await gateway.dispose();
  await network.stop();
});

it("a restore brings messages, media, keys, webhooks and the session back as they were in the backup", async () => {
  const { dashboard: administrator, account } = await firstAdministrator(gateway);
  const phone = phones(network);
  await phone.create(FRIEND, "Friend");
  const { id, called, api, connected } = await pairNumber(gateway, network, administrator, NUMBER);
  const sends = new RepeatedSends({ ready: () => called }, FRIEND);
  const history = async () => {
    const { data } = await ok(api.get(`/chats/${FRIEND}/messages?limit=200`));
    return (data as { text: string | null }[]).map(({ text }) => text ?? "");
  };

  // Everything sent before the load must be restored unchanged.
  await Promise.all(Array.from({ length: BEFORE }, (_, index) => sends.send(`before-${index}`)));
  await phone.send(FRIEND, { to: NUMBER, text: "question" });
  await eventually("the question", WITHIN_MS, async () => (await history()).includes("question"));
  const { message_id: picture } = await ok(api.call("POST", "/messages/image", { to: FRIEND, media: { base64: PNG.toString("base64") } }));
  const pictureNow = async () => {
    const { data } = await ok(api.get(`/chats/${FRIEND}/messages/${picture}/media`));
    return Buffer.from(await (await fetch(data.url as string)).arrayBuffer());
  };
  expect(await pictureNow()).toEqual(PNG);
  await ok(administrator("PUT", `/connections/${id}/webhook`, { url: "https://shop.example.com/hook" }), 201);
  const revoked = (await ok(administrator("POST", `/connections/${id}/keys`, { name: "revoked later" }), 201)).data as {
    id: string;
    key: string;
  };
  const webhookNow = async () => {
    // The other fields show the webhook's health, which changes because nothing responds at this address.
    const { url, events, status } = (await ok(administrator("GET", `/connections/${id}/webhook`))).data;
    return { url, events, status };
  };
  const webhook = await webhookNow();
  const keys = (await ok(administrator("GET", `/connections/${id}/keys`))).data as { id: string; name: string }[];
  const people = (await ok(account("GET", "/admin/users"))).data as { email: string }[];

  // These sends are acknowledged before the backup begins, so the backup contains them.
  const underLoad = Promise.withResolvers<void>();
  const acknowledged: string[] = [];
  const load = Promise.all(
    Array.from({ length: DURING }, async (_, index) => {
      const { status } = await sends.send(`during-${index}`);
      if (status === 200) acknowledged.push(`during-${index}`);
      if (acknowledged.length >= BACKED_UP_AFTER) underLoad.resolve();
    }),
  );
  await Promise.race([underLoad.promise, load]);
  const inBackup = [...acknowledged];
  const made = await gateway.command("backup/backup-command.ts");
  expect(made, made.output).toMatchObject({ code: 0 });
  console.log(made.output);
  await load;
  expect(acknowledged, "no send failed because of the backup").toHaveLength(DURING);
  const [name = ""] = readdirSync(gateway.backups);
  const backup = join(gateway.backups, name);

  // This send follows the backup, so it is lost with the machine.
  expect(await sends.send("after-the-backup")).toMatchObject({ status: 200 });
  const later = (await ok(administrator("POST", `/connections/${id}/keys`, { name: "later" }), 201)).data as { key: string };
  await ok(administrator("DELETE", `/connections/${id}/keys/${revoked.id}`));
  await ok(administrator("PUT", `/connections/${id}/webhook`, { url: "https://later.example.com/hook" }));
  const refused = await gateway.command("backup/restore-command.ts", backup, "--replace");
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/^DATA_DIR: .* is in use by a gateway .*stop it first\n$/) });

  await gateway.killAll();
  rmSync(gateway.data, { recursive: true });
  const restored = await gateway.command("backup/restore-command.ts", backup);
  expect(restored, restored.output).toMatchObject({ code: 0 });
  await gateway.start();
  expect(gateway.output(), "the administrator exists").not.toContain("/set-password");

  await connected();
  const texts = await history();
  const times = (text: string) => texts.filter((one) => one === text).length;
  const expected = [...Array.from({ length: BEFORE }, (_, index) => `before-${index}`), "question", ...inBackup];
  expect(expected.filter((text) => times(text) !== 1)).toEqual([]);
  expect(texts.filter((text) => text.startsWith("during-") && times(text) !== 1)).toEqual([]);
  expect(times("after-the-backup")).toBe(0);
  expect(await webhookNow()).toEqual(webhook);
  expect(await pictureNow()).toEqual(PNG);
  const keysNow = (await ok(administrator("GET", `/connections/${id}/keys`))).data as { id: string }[];
  expect(keysNow.map((key) => key.id)).toEqual(keys.map((key) => key.id));
  expect((await ok(account("GET", "/admin/users"))).data).toHaveLength(people.length);
  const asWith = (key: string) => customer({ app_url: gateway.url, demo: { connection: { api_key: key } } }).get("/instance");
  expect([(await asWith(revoked.key)).status, (await asWith(later.key)).status]).toEqual([200, 401]);

  // The older Signal state heals by retries, in both directions.
  expect(await sends.send("after-the-restore")).toMatchObject({ status: 200 });
  await phone.send(FRIEND, { to: NUMBER, text: "answer after the restore" });
  await eventually("the answer", WITHIN_MS, async () => (await history()).includes("answer after the restore"));
  await eventually("the message at the phone, once", WITHIN_MS, async () => {
    const inbox = await phone.inbox(FRIEND);
    return inbox.filter((message) => message["text"] === "after-the-restore").length === 1;
  });
  const inbox = await phone.inbox(FRIEND);
  const copied = inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0).map((message) => message["text"]);
  // If the number's own phone cannot decrypt its copy, Baileys sends the message again to all devices, under the same id.
  expect(copied.filter((text) => text !== "after-the-restore")).toEqual([]);
  for (let index = 0; index < DURING; index++)
    expect(
      inbox.filter((message) => message["text"] === `during-${index}`),
      `during-${index}`,
    ).toHaveLength(1);

  // The next backup shares the disk space of unchanged pictures with the first one. A damaged backup is refused and changes nothing.
  await gateway.stop();
  const second = await gateway.command("backup/backup-command.ts");
  expect(second, second.output).toMatchObject({ code: 0, output: expect.stringContaining("the gateway paused for 0 ms") });
  const newest = join(gateway.backups, readdirSync(gateway.backups).toSorted().at(-1) ?? "");
  const objects = join(newest, "storage/do/gateway-Connection");
  truncateSync(join(objects, readdirSync(objects).find((file) => /^[0-9a-f]{64}\.sqlite$/.test(file)) ?? ""), 4_096);
  const damaged = await gateway.command("backup/restore-command.ts", newest, "--replace");
  expect(damaged).toMatchObject({ code: 1, output: expect.stringMatching(/\.sqlite is damaged\n$/) });
  expect(readdirSync(gateway.data)).toEqual(expect.arrayContaining(["format", "storage", "secrets.env"]));
});
