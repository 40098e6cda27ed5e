// `npm run serve` from nothing to a paired number, and a power failure under load.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type LocalNetwork, startLocalNetwork } from "../../support/one-machine/network.ts";
import { pairNumber } from "../../support/one-machine/paired-number.ts";
import { firstAdministrator, type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { ok } from "../../support/replies.ts";
import { RepeatedSends } from "../robustness/load/repeated-sends.ts";

const NUMBER = "5511940000001";
const FRIEND = "5511940000002";
const SENDS = 30;
const KILLED_AFTER = 10;
const WITHIN_MS = 120_000;

let network: LocalNetwork;
let gateway: ServedGateway;
beforeAll(async () => {
  network = await startLocalNetwork();
  gateway = await startServedGateway(network.settings);
});
afterAll(async () => {
  await gateway.dispose();
  await network.stop();
});

it("a number survives a power loss under load without pairing again, losing or doubling a message", async () => {
  const { dashboard: administrator, account } = await firstAdministrator(gateway);
  const phone = phones(network);
  await phone.create(FRIEND, "Friend");
  const { api, called, key, connected } = await pairNumber(gateway, network, administrator, NUMBER);

  await ok(account("POST", "/admin/users", { email: "ana@example.com", name: "Ana", role: "user" }), 201);
  const invitation = await eventually("an invitation in the mail folder", WITHIN_MS, () => {
    const folder = join(gateway.data, "mail");
    const [file] = existsSync(folder) ? readdirSync(folder) : [];
    return file !== undefined && readFileSync(join(folder, file), "utf8");
  });
  expect(invitation).toContain(`To: ana@example.com`);
  expect(invitation).toContain(`${gateway.url}/set-password?token=`);

  const sends = new RepeatedSends({ ready: () => called }, FRIEND);
  const underLoad = Promise.withResolvers<void>();
  let answered = 0;
  const all = Promise.all(
    Array.from({ length: SENDS }, async (_, index) => {
      const reply = await sends.send(`order-${index}`);
      answered += 1;
      if (answered === KILLED_AFTER) underLoad.resolve();
      return reply;
    }),
  );
  await Promise.race([underLoad.promise, all]);
  await gateway.killAll();
  await phone.send(FRIEND, { to: NUMBER, text: "sent while the power was off" });
  await gateway.start();
  expect(gateway.output(), "the administrator exists").not.toContain("/set-password");
  const replies = await all;

  await connected();
  // An acknowledged message arrives exactly once, an uncertain one (424) at most once, a refused one never.
  const inbox = await phone.inbox(FRIEND);
  const wrong = replies.flatMap(({ status }, index) => {
    const copies = inbox.filter((message) => message["text"] === `order-${index}`).length;
    const isRight = status === 200 ? copies === 1 : status === 424 ? copies <= 1 : copies === 0;
    return isRight ? [] : [{ index, status, copies }];
  });
  expect(wrong, JSON.stringify(replies.map(({ status, body }) => [status, body]))).toEqual([]);
  expect(replies.filter(({ status }) => status === 200).length, JSON.stringify(replies[0]?.body)).toBeGreaterThanOrEqual(KILLED_AFTER);
  expect(inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0)).toEqual([]);
  await eventually("the message of the dark", WITHIN_MS, async () => {
    const { body } = await api.get(`/chats/${FRIEND}/messages`);
    return JSON.stringify(body).includes("sent while the power was off");
  });

  expect(await gateway.stop(), "SIGTERM ends it in order").toBe(0);
  expect(existsSync(join(gateway.data, "serve.pid"))).toBe(false);
  const logs = ["host", "worker", "bridge-1"].map((name) => readFileSync(join(gateway.data, "logs", `${name}.log`), "utf8")).join("");
  expect([logs.includes(key), logs.includes("/set-password?token=")], "secrets in the logs").toEqual([false, false]);
});
