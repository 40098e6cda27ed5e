import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BinaryNode } from "baileys";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestNetwork } from "#root/test-network/start.ts";
import { eventually } from "../../support/eventually.ts";
import { connect, nextEvent, jidOf, link, openWorld, textIn, type World } from "./world.ts";

let stateDir: string;
let world: World;
beforeEach(() => void (stateDir = mkdtempSync(join(tmpdir(), "network-"))));
afterEach(async () => {
  await world.close();
  rmSync(stateDir, { recursive: true });
});

async function restart(): Promise<void> {
  await world.close();
  world = await openWorld({ stateDir, strict: false });
}

// A strict network would fail here: the unmodified client requests one batch of missed messages, and creates groups in an old format.
it("a restarted network keeps root, CA, addresses and linked devices", async () => {
  world = await openWorld({ stateDir, strict: false });
  const anna = await world.phone("Anna");
  const client = await link(world, anna);
  await client.end();
  const { rootPublicKey, caPem, wsUrl, mediaHost } = world;
  await restart();
  expect(world).toMatchObject({ rootPublicKey, caPem, wsUrl, mediaHost });
  const again = await link(world, undefined, { auth: client.auth });
  expect(again.closes).toEqual([]);
  await again.end();
});

it("a restarted network delivers what was sent to a device that was away", async () => {
  world = await openWorld({ stateDir, strict: false });
  const [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
  const client = await link(world, anna);
  const first = textIn(client, "first");
  await bruno.sendText(anna.pn, "first");
  await first;
  await client.end();
  for (let n = 0; n < 250; n++) await bruno.sendText(anna.pn, `missed ${n}`);
  await restart();

  const seen = new Set<string>();
  // Listens from the start: missed messages arrive before the client is open.
  const again = connect(world, client.auth, { emitOwnEvents: false });
  again.ev.on("messages.upsert", ({ messages, type }) => {
    expect(type).toBe("append");
    for (const { message } of messages) seen.add(message?.conversation || message?.extendedTextMessage?.text || "");
  });
  await eventually("all of them", 60_000, () => Array.from({ length: 250 }, (_, n) => `missed ${n}`).every((text) => seen.has(text)));
  await eventually("an empty queue", 60_000, () => world.network.directory.device(`${anna.pn}:1@s.whatsapp.net`)?.queue.size === 0);
  await again.end(undefined);
});

it("a restarted network keeps groups, labels, channels and files", async () => {
  world = await openWorld({ stateDir, strict: false });
  const [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
  const client = await link(world, anna);
  const group = await client.sock.groupCreate("Kept", [jidOf(bruno)]);
  await client.sock.groupUpdateDescription(group.id, "still here");
  const synced = nextEvent(client, "labels.edit", (label) => label.name === "VIP");
  await anna.modify({ addLabel: { id: "7", name: "VIP", color: 3 } });
  await synced;
  const path = world.network.blobs.save(Buffer.from("bytes"), "jpg").path;
  const patches = world.network.appStateLog(world.network.directory.account(anna.pn)!, "regular").length;
  await client.end();
  await restart();

  const again = await link(world, undefined, { auth: client.auth });
  expect(await again.sock.groupMetadata(group.id)).toMatchObject({ subject: "Kept", desc: "still here" });
  expect(world.network.appStateLog(world.network.directory.account(anna.pn)!, "regular")).toHaveLength(patches);
  expect(world.network.blobs.get(path)?.toString()).toBe("bytes");
  await again.end();
});

it("a restarted network still withholds messages behind a stanza that got an error", async () => {
  world = await openWorld({ stateDir, strict: true });
  const [anna, bruno] = [await world.phone("Anna"), await world.phone("Bruno")];
  let client = await link(world, anna);
  const device = () => world.network.directory.device(client.auth.creds.me?.id)!;
  const waiting = () => [...device().queue.entries()].filter(({ stanza: { tag } }) => tag === "message");
  await eventually("all of the welcome", 60_000, () => waiting().length === 0);
  await client.end();
  // This client answers the message with an error, as if it could not be read.
  const attrs = { from: jidOf(bruno), t: "1700000000", type: "text", id: "BAD" };
  world.network.delivery.enqueue(device(), { tag: "message", attrs, content: [{ tag: "enc", attrs: { type: "msmsg" } }] });
  client = await link(world, undefined, { auth: client.auth });
  await eventually("the error", 60_000, () => device().queue.firstRefused !== undefined);
  await client.end();
  await bruno.sendText(anna.pn, "behind it");
  await world.close();
  world = await openWorld({ stateDir, strict: true });

  const sock = connect(world, client.auth);
  const got = textIn({ sock }, "behind it");
  const first = new Promise<string>((resolve) => sock.ws.once("CB:message", ({ attrs }: BinaryNode) => resolve(attrs["id"] ?? "")));
  await nextEvent({ sock }, "connection.update", ({ connection }) => connection === "open");
  expect(await first).toBe("BAD");
  await sock.query({ tag: "iq", attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "w:p" }, content: [{ tag: "ping", attrs: {} }] });
  expect(waiting()).toHaveLength(2);
  await sock.sendNode({ tag: "ack", attrs: { class: "message", id: "BAD", to: jidOf(bruno) } });
  await got;
  await eventually("the queue is empty", 60_000, () => waiting().length === 0);
  await sock.end(undefined);
});

it("the network takes another port if the remembered one is taken, and says so if a requested one is", async () => {
  world = await openWorld({ stateDir, strict: false });
  const { port } = new URL(world.wsUrl);
  await world.close();
  const squatter = await startTestNetwork({ socketPort: Number(port) });
  world = await openWorld({ stateDir, strict: false });
  expect(new URL(world.wsUrl).port).not.toBe(port);
  await expect(startTestNetwork({ socketPort: Number(port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  await squatter.close();
});

it("the network refuses to share a state folder with another network", async () => {
  world = await openWorld({ stateDir, strict: false });
  await expect(startTestNetwork({ stateDir })).rejects.toThrow(/locked/);
});
