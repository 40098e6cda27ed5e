// The bridge is killed at the worst moments, and nothing is lost or left undecryptable (docs/internals/durability.md, "How messages get lost": L1,
// L2, C2).
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fasterTimersOf } from "../../support/bridge/faster-timers.ts";
import { eventually } from "../../support/eventually.ts";
import { allConfirmed, openWorld, receivedTexts, sendText, shownTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe("a bridge that is killed", () => {
  it("has stored every message it ever receipted (L1)", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    await friend.sendText(`${phone.pn}@c.us`, "before");
    await eventually("the first message", TIMEOUT_MS, () => receivedTexts(connection).includes("before"));

    await allConfirmed(world, phone);

    const killed = Promise.withResolvers<(string | null)[]>();
    const receive = world.network.receive.bind(world.network);
    world.network.receive = (from, stanza) => {
      receive(from, stanza);
      if (stanza.tag !== "receipt" || from.id === 0 || stanza.attrs["type"] === "peer_msg") return;
      const stored = receivedTexts(connection);
      world.network.receive = receive;
      void bridge.kill().then(() => killed.resolve(stored));
    };
    await friend.sendText(`${phone.pn}@c.us`, "important");
    // The object must have stored everything by the receipt, because the network considers the message delivered.
    expect(await killed.promise).toContain("important");

    await world.startBridge();
    world.gateway.place(connection);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    await friend.sendText(`${phone.pn}@c.us`, "after");
    await eventually("the message after", TIMEOUT_MS, () => receivedTexts(connection).includes("after"));
    expect(receivedTexts(connection)).toEqual(["before", "important", "after"]);
  });

  it("decrypts a redelivered message although its ratchet has advanced (L2)", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    await friend.sendText(`${phone.pn}@c.us`, "before");
    await eventually("the first message", TIMEOUT_MS, () => receivedTexts(connection).includes("before"));
    await allConfirmed(world, phone);

    // The object stores the message without confirming it to the bridge, so the output gate still holds the receipt.
    const stored = connection.dieAfter(
      (frame) => frame.rows.some(([key]) => key.startsWith("plain|")),
      () => bridge.kill(),
    );
    await friend.sendText(`${phone.pn}@c.us`, "important");
    await stored;
    const redelivered = () =>
      connection.reported.filter(({ event }) => event.type === "message.upsert" && event.message.text === "important").length;
    const before = redelivered();

    await world.startBridge();
    world.gateway.place(connection);
    await eventually("the network to deliver it again", TIMEOUT_MS, () => redelivered() > before);
    await friend.sendText(`${phone.pn}@c.us`, "after");
    await eventually("the message after", TIMEOUT_MS, () => receivedTexts(connection).includes("after"));
    expect(receivedTexts(connection)).toEqual(["before", "important", "after"]);
    await allConfirmed(world, phone);
  });

  it("replays a stanza whose events had not been stored", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    const file = { bytes: Buffer.from("a file"), mimetype: "text/plain", filename: "a.txt" };

    // The journal also has the stanzas of the welcome.
    await allConfirmed(world, phone);
    // The file is still downloading when the message is journaled.
    const stored = connection.dieAfter(
      (frame) => frame.rows.some(([key, value]) => key.startsWith("journal|") && value !== null),
      () => bridge.kill(),
    );
    await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: "important" });
    await stored;
    expect(receivedTexts(connection)).toEqual([]);

    await world.startBridge();
    world.gateway.place(connection);
    await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("important"));
    const message = connection.of("message.upsert").find(({ message: { text } }) => text === "important");
    expect(world.gateway.files.get(message?.message.media?.token ?? "")?.bytes).toEqual(file.bytes);
    await eventually("the journal to be empty", TIMEOUT_MS, () => connection.rowsOf("journal").length === 0);
  });

  it.each(["Maria@", "ana_maria@loja"])("replays a receipted stanza whose file was still downloading, from %j", async (name) => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone(name);
    await allConfirmed(world, phone);
    await eventually("the journal to be empty", TIMEOUT_MS, () => connection.rowsOf("journal").length === 0);
    world.network.blobs.trouble = { kind: "silent" };
    const file = { bytes: Buffer.from("a file"), mimetype: "text/plain", filename: "a.txt" };
    await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: "important" });
    await eventually("the stanza in the journal", TIMEOUT_MS, () => connection.rowsOf("journal").length === 1);
    // From here on, the network no longer has the message.
    await allConfirmed(world, phone);
    await bridge.kill();
    expect(receivedTexts(connection)).toEqual([]);
    world.network.blobs.trouble = null;

    await world.startBridge();
    world.gateway.place(connection);
    const { message } = await connection.saw("message.upsert", (event) => event.message.text === "important");
    expect(message.push_name).toBe(name);
    expect(world.gateway.files.get(message.media?.token ?? "")?.bytes).toEqual(file.bytes);
  });

  it("leaves a slow download to the next bridge", async () => {
    const bridge = await world.startBridge(fasterTimersOf("incoming-media.ts", 30));
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    const file = { bytes: Buffer.from("a large file"), mimetype: "text/plain", filename: "a.txt" };
    world.network.blobs.trouble = { kind: "silent" };
    await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: "important" });
    const { message } = await connection.saw("message.upsert", (event) => event.message.text === "important");
    expect(message.media?.token).toBeNull();
    await eventually("the journal to be empty", TIMEOUT_MS, () => connection.rowsOf("journal").length === 0);
    await bridge.kill();
    world.network.blobs.trouble = null;

    await world.startBridge();
    world.gateway.place(connection);
    const { media } = await connection.saw("message.media", (event) => event.message_id === message.message_id);
    expect(world.gateway.files.get(media.token ?? "")?.bytes).toEqual(file.bytes);
    await eventually("the row to be gone", TIMEOUT_MS, () => connection.rowsOf("late_file").length === 0);
    expect(connection.of("message.media")).toHaveLength(1);
  });

  it("lets the next bridge answer a retry receipt", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    await sendText(connection, friend, "one");
    await eventually("the first message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("one"));
    await friend.change({ online: false });
    await sendText(connection, friend, "two");
    await eventually("the second to be taken by the network", TIMEOUT_MS, () => connection.of("send.settled").length === 2);
    await bridge.kill();

    await world.startBridge();
    world.gateway.place(connection);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    await friend.loseSessionsWith(phone.pn);
    await friend.change({ online: true });
    await eventually("the second message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("two"));
  });

  it("leaves its contacts able to decrypt what the next bridge sends (C2)", async () => {
    const bridge = await world.startBridge();
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    await sendText(connection, friend, "one");
    await eventually("the first message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("one"));
    await friend.sendText(`${phone.pn}@c.us`, "answer");
    await eventually("the answer", TIMEOUT_MS, () => receivedTexts(connection).includes("answer"));

    const killed = Promise.withResolvers<void>();
    const receive = world.network.receive.bind(world.network);
    world.network.receive = (from, stanza) => {
      receive(from, stanza);
      if (stanza.tag !== "message" || from.id === 0 || from.account.pn !== phone.pn) return;
      world.network.receive = receive;
      void bridge.kill().then(killed.resolve);
    };
    await sendText(connection, friend, "two");
    await killed.promise;
    expect(connection.rowsOf("sent")).toHaveLength(2);

    await world.startBridge();
    world.gateway.place(connection);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    await sendText(connection, friend, "three");
    await sendText(connection, friend, "four");
    await eventually("all messages at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("four"));
    expect(shownTexts(friend)).toEqual(["one", "two", "three", "four"]);
    expect(friend.troubles).toEqual([]);
  });
});
