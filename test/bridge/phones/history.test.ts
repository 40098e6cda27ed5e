import { proto, toNumber } from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { remember, type PastMessage } from "#root/test-network/phone/history.ts";
import { linkedClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, jidOf, openWorld, type World } from "./world.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

const START = 1_700_000_000;

describe("a phone's history", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  const past = (count: number, text = "line"): PastMessage[] =>
    Array.from({ length: count }, (_, index) => ({
      text: `${text} ${index}`,
      timestamp: START + index * DAY_SECONDS,
      from_me: index % 2 === 1,
      read: index < count - 2,
      message_id: `${text}-${index}`.toUpperCase(),
    }));

  it("is sent to a newly linked device, with names and LIDs", async () => {
    const [ana, bob] = [await world.newPhone("Ana"), await world.newPhone("Bob")];
    await ana.act((deps) => remember(deps, chatOf(bob), past(5)));
    const client = await linkedClient(world, (qr) => ana.scan(qr));
    const history = await client.saw("messaging-history.set", (set) => set.messages.length > 0 && set);
    expect(history.messages.map(({ message }) => message?.conversation)).toEqual(["line 4", "line 3", "line 2", "line 1", "line 0"]);
    const chat = history.chats.find(({ id }) => id === jidOf(bob));
    expect([chat?.unreadCount, toNumber(chat?.conversationTimestamp)]).toEqual([1, START + 4 * DAY_SECONDS]);
    await client.saw("messaging-history.set", ({ contacts }) => contacts.some(({ id, notify }) => id === jidOf(bob) && notify === "Bob"));
    expect(client.auth.kept.get(`lid-mapping|${bob.pn}`)).toBe(world.network.directory.account(bob.pn)?.lid);
    await client.end();
  });

  it("comes in pieces when it is long", async () => {
    const ana = await world.newPhone("Ana");
    const others = await Promise.all([1, 2, 3].map(() => world.newPhone()));
    for (const [index, other] of others.entries()) await ana.act((deps) => remember(deps, chatOf(other), past(300, `chat${index}`)));
    const client = await linkedClient(world, (qr) => ana.scan(qr));
    await eventually("all of it", 60_000, () => {
      const messages = client.all("messaging-history.set").flatMap((set) => set.messages);
      // The history has each chat's newest messages; the rest is available on demand.
      return (
        messages.length === 600 && messages.some(({ key }) => key.id === "CHAT2-299") && !messages.some(({ key }) => key.id === "CHAT2-0")
      );
    });
    await client.end();
  });

  it("is sent further back on demand", async () => {
    const { phone: ana, client } = await world.pair("Ana");
    const bob = await world.newPhone("Bob");
    await ana.act((deps) => remember(deps, chatOf(bob), past(10, "older")));
    await client.sock.fetchMessageHistory(3, { remoteJid: jidOf(bob), id: "OLDER-6", fromMe: false }, (START + 6 * DAY_SECONDS) * 1000);
    const older = await client.saw("messaging-history.set", (set) => set.syncType === proto.HistorySync.HistorySyncType.ON_DEMAND && set);
    expect(older.messages.map(({ message }) => message?.conversation)).toEqual(["older 5", "older 4", "older 3"]);
  });

  it("contains a single message on request of a device that could not open it", async () => {
    const { phone: ana, client } = await world.pair("Ana");
    const bob = await world.newPhone("Bob");
    await ana.act((deps) => remember(deps, chatOf(bob), past(2, "asked")));
    await client.sock.requestPlaceholderResend({ remoteJid: jidOf(bob), id: "ASKED-0", fromMe: false });
    expect((await client.message("ASKED-0")).message?.conversation).toBe("asked 0");
  });
});
