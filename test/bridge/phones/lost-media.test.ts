import { randomBytes } from "node:crypto";
import { downloadMediaMessage } from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expireMedia } from "#root/test-network/phone/messages/lost-media.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

describe("files that the media host has forgotten", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it("are uploaded again by the phone when its linked device asks for them too late", async () => {
    const { phone: anas, client: ana } = await world.pair("Ana");
    const bob = await world.newPhone("Bob");
    const bytes = randomBytes(2_000);
    const { message_id } = must(
      await bob.send(chatOf(anas), { type: "document", file: { bytes, mimetype: "text/plain", filename: "a" }, caption: null }),
    );
    const message = await ana.message(message_id);
    const record = await shown(anas, (one) => one.message_id === message_id);
    expect(await anas.act((deps) => expireMedia(deps, message_id))).toBe(true);
    await expect(downloadMediaMessage(message, "buffer", {})).rejects.toThrow(/fetch/);

    await ana.sock.refreshMediaConn(true);
    const again = await ana.sock.updateMediaMessage(message);
    expect((await downloadMediaMessage(again, "buffer", {})).equals(bytes)).toBe(true);
    expect(anas.inbox().find((one) => one.message_id === message_id)?.media).toEqual(record.media);
  });

  it("stay lost if the phone does not have them either", async () => {
    const { phone: anas, client: ana } = await world.pair("Ana");
    const bob = await world.newPhone("Bob");
    const { message_id } = must(
      await bob.send(chatOf(anas), { type: "sticker", file: { bytes: randomBytes(50), mimetype: "image/webp", filename: null } }),
    );
    const message = await ana.message(message_id);
    await shown(anas, (one) => one.message_id === message_id);
    world.network.blobs.remove(message.message?.stickerMessage?.directPath ?? "");
    await expect(ana.sock.updateMediaMessage(message)).rejects.toThrow(/re-upload/);
    expect(await anas.act((deps) => expireMedia(deps, message_id))).toBe(false);
  });
});
