import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linkedClient, trust, type BaileysClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { networkProcess } from "../../support/bridge/network-process.ts";

const ANA = "5511930000001";
const BOB = "5511930000002";
type Inbox = {
  data: Array<{
    message_id: string;
    chat_id: string;
    from: string;
    text: string | null;
    duplicates: number;
    status: string | null;
    from_me: boolean;
  }>;
};

describe("the network's process, killed and started again", () => {
  const network = networkProcess();
  let ana: BaileysClient;
  beforeAll(async () => {
    await network.start();
    trust(network.whereabouts());
    for (const [phone, name] of [
      [ANA, "Ana"],
      [BOB, "Bob"],
    ]) {
      await network.call("POST", "/phones", { phone, name });
      // Unmodified clients address phone numbers instead of LIDs and send no tokens.
      await network.call("PATCH", `/phones/${phone}`, { lid_only: false, needs_token: false });
    }
    ana = await linkedClient(network.whereabouts(), (qr) => network.call("POST", `/phones/${ANA}/scan`, { qr }));
  });
  afterAll(async () => {
    await ana.end();
    await network.dispose();
  });

  const inbox = async (phone: string) => (await network.call<Inbox>("GET", `/phones/${phone}/inbox`)).data;
  const fromBob = (text: string) => network.call<{ message_id: string }>("POST", `/phones/${BOB}/send`, { to: ANA, text });
  const fromAna = (text: string) => ana.send(`${BOB}@s.whatsapp.net`, { text });
  const at = (phone: string, text: string) =>
    eventually(`${text} at ${phone}`, 60_000, async () => (await inbox(phone)).find((one) => one.text === text));
  const opened = () => ana.all("connection.update").filter(({ connection }) => connection === "open").length;
  const restart = async () => {
    const [closes, opens] = [ana.closes.length, opened()];
    await network.kill();
    await eventually("the connection is gone", 60_000, () => ana.closes.length > closes);
    await network.start();
    ana.connect();
    await eventually("the connection is back", 60_000, () => opened() > opens);
  };

  it("keeps inboxes, sessions, groups, labels and linked devices", async () => {
    await fromAna("before, to Bob");
    await at(BOB, "before, to Bob");
    const before = await fromBob("before, to Ana");
    await ana.message(before.message_id);
    const { group_id } = await network.call<{ group_id: string }>("POST", `/phones/${BOB}/groups`, {
      subject: "Team",
      participants: [ANA],
    });
    await ana.message(
      (await network.call<{ message_id: string }>("POST", `/phones/${BOB}/send`, { chat_id: group_id, text: "in the group" })).message_id,
    );
    for (const text of ["before, to Ana", "in the group"]) await at(ANA, text);
    await network.call("POST", `/phones/${ANA}/labels`, { label_id: "3", name: "VIP", color: 2 });
    const [anas, bobs] = [await inbox(ANA), await inbox(BOB)];
    const { ws_url: address } = network.ready();

    await restart();

    expect(network.ready().ws_url).toBe(address);
    // A receipt may have arrived in between; the shown message is the same.
    const lines = (list: Inbox["data"]) => list.map(({ message_id, text, from }) => ({ message_id, text, from }));
    expect(lines(await inbox(ANA))).toEqual(lines(anas));
    expect(lines(await inbox(BOB))).toEqual(lines(bobs));
    const [phone] = (await network.call<{ data: Array<{ phone: string; devices: unknown[] }> }>("GET", "/phones")).data;
    expect(phone).toMatchObject({ phone: ANA, name: "Ana", devices: [{ device: 1 }] });
    expect((await network.call<{ data: unknown[] }>("GET", `/phones/${ANA}/labels`)).data).toMatchObject([{ label_id: "3", name: "VIP" }]);

    await fromAna("after, to Bob");
    expect(await at(BOB, "after, to Bob")).toMatchObject({ duplicates: 0 });
    expect((await ana.message((await fromBob("after, to Ana")).message_id)).message?.conversation).toBe("after, to Ana");
    const inGroup = await network.call<{ message_id: string }>("POST", `/phones/${BOB}/send`, {
      chat_id: group_id,
      text: "in the group, after",
    });
    expect((await ana.message(inGroup.message_id)).message?.conversation).toBe("in the group, after");
    await network.call("POST", `/phones/${ANA}/labels`, { label_id: "3", name: "VIP 2", color: 2 });
    await ana.saw("labels.edit", ({ name }) => name === "VIP 2");
    const { phones } = await network.call<{ phones: Record<string, { undecryptable: number }> }>("GET", "/stats");
    expect(Object.values(phones).map(({ undecryptable }) => undecryptable)).toEqual([0, 0]);
  });

  it("delivers a held-back message to its device after the restart", async () => {
    await network.call("POST", "/faults", { phone: ANA, kind: "hold" });
    const { message_id } = await fromBob("held back");
    await restart();
    // The fault existed only in the killed process. The message was stored, so it survives.
    expect((await ana.message(message_id)).message?.conversation).toBe("held back");
  });

  it("takes each message in at most once, wherever the kill strikes", async () => {
    for (let round = 0; round < 3; round++) {
      const texts = Array.from({ length: 20 }, (_, index) => `round ${round} line ${index}`);
      await Promise.all(texts.map((text) => fromAna(text).catch(() => {})));
      await restart();
      await fromAna(`round ${round} is over`);
      await at(BOB, `round ${round} is over`);
      const got = (await inbox(BOB)).filter(({ text }) => text?.startsWith(`round ${round} line`));
      expect(new Set(got.map(({ text }) => text)).size).toBe(got.length);
      expect(got.every(({ duplicates }) => duplicates === 0)).toBe(true);
    }
    const { phones } = await network.call<{ phones: Record<string, { undecryptable: number }> }>("GET", "/stats");
    expect(phones[BOB]?.undecryptable).toBe(0);
  });

  it("prints one line of JSON per start and nothing else, above all no keys", async () => {
    const lines = network.output().trim().split("\n");
    expect(lines.every((line) => line.startsWith('{"ws_url":'))).toBe(true);
    expect(network.output()).not.toMatch(/SessionEntry|privKey|rootKey|<Buffer/);
  });

  it("stops cleanly when asked to", async () => {
    expect(await network.stop()).toBe(0);
  });
});
