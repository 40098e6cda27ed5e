import { createHash, randomBytes } from "node:crypto";
import { downloadMediaMessage, encodeBinaryNode, type BinaryNode } from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGroup } from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { BaileysClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, jidOf, must, openWorld, shown, type World } from "./world.ts";

describe("traffic through the server", () => {
  const marker = `marker-${randomBytes(12).toString("hex")}`;
  const passed: Buffer[] = [];
  const queries: string[] = [];
  let world: World;
  let anas: SimulatedPhone;
  let bob: SimulatedPhone;
  let ana: BaileysClient;
  beforeAll(async () => {
    // Unmodified clients address phone numbers instead of LIDs and send no tokens.
    world = await openWorld({ lidOnly: false, needsToken: false });
    // Every stanza of every device passes through one of these two methods.
    const { network } = world;
    const [receive, request] = [network.receive.bind(network), network.request.bind(network)];
    network.receive = (from, stanza) => {
      passed.push(bytesOf(stanza));
      receive(from, stanza);
    };
    network.request = (from, iq) => {
      queries.push(iq.attrs["xmlns"] ?? "");
      const reply = request(from, iq);
      passed.push(bytesOf(iq), bytesOf(reply));
      return reply;
    };
    ({ phone: anas, client: ana } = await world.pair("Ana"));
    bob = await world.newPhone("Bob");
  });
  afterAll(() => world.close());

  it("never contains texts, label names or file contents in the clear", async () => {
    const file = Buffer.concat([Buffer.from(marker), randomBytes(2_000), Buffer.from(marker)]);
    const text = await ana.send(jidOf(bob), { text: `${marker} text` });
    await shown(bob, ({ message_id }) => message_id === text.key.id);
    const sent = await ana.send(jidOf(bob), { document: file, mimetype: "text/plain", fileName: `${marker}.txt`, caption: marker });
    const record = await shown(bob, ({ message_id }) => message_id === sent.key.id);
    expect(record.media?.sha256).toBe(createHash("sha256").update(file).digest("hex"));
    const upload = must(
      await bob.send(chatOf(anas), {
        type: "document",
        file: { bytes: file, mimetype: "text/plain", filename: `${marker}.txt` },
        caption: marker,
      }),
    );
    expect((await downloadMediaMessage(await ana.message(upload.message_id), "buffer", {})).equals(file)).toBe(true);
    must(await bob.edit(chatOf(anas), must(await bob.sendText(chatOf(anas), marker)).message_id, `${marker} edited`));
    const poll = must(await bob.send(chatOf(anas), { type: "poll", question: marker, options: [marker, "other"], selectable_count: 1 }));
    await ana.message(poll.message_id);
    must(await anas.vote(chatOf(bob), poll.message_id, [marker]));
    await eventually("the vote", 60_000, () =>
      bob.inbox().some(({ poll_votes }) => poll_votes.some(({ options }) => options[0] === marker)),
    );
    await anas.modify({ addLabel: { id: "5", name: marker, color: 1 } });
    await ana.saw("labels.edit", ({ name }) => name === marker);
    const { group_id: group } = must(await bob.act((deps) => createGroup(deps, "Team", [anas.pn])));
    const { message_id } = must(await bob.sendText(group, `${marker} in a group`));
    await ana.message(message_id);

    expect(passed.length).toBeGreaterThan(50);
    expect(queries).toContain("w:sync:app:state");
    expect(passed.filter((bytes) => bytes.includes(marker))).toEqual([]);
    for (const { message_id: id } of anas.inbox()) expect(id).not.toContain(marker);
    expect(world.network.stats.decrypted_by_server).toBe(0);
  });

  it("is searched by a check that finds an unencrypted text", () => {
    expect(
      bytesOf({ tag: "message", attrs: {}, content: [{ tag: "plaintext", attrs: {}, content: Buffer.from(marker) }] }).includes(marker),
    ).toBe(true);
  });

  it("contains files as ciphertext only", async () => {
    const file = Buffer.from(`${marker} in a file`);
    const { message_id } = must(
      await bob.send(chatOf(anas), { type: "document", file: { bytes: file, mimetype: "text/plain", filename: "a" }, caption: null }),
    );
    const part = (await ana.message(message_id)).message?.documentMessage;
    const stored = world.network.blobs.get(part?.directPath ?? "");
    expect(stored?.length).toBeGreaterThan(file.length);
    expect(stored?.includes(marker)).toBe(false);
  });
});

function bytesOf(stanza: BinaryNode): Buffer {
  return Buffer.from(encodeBinaryNode(stanza));
}
