import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chatOf, openWorld, shown, type World } from "./world.ts";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d494844520000000300000002", "hex"), randomBytes(4_000)]);

describe("a file in a form that phones do not take", () => {
  let world: World;
  let folder: string;
  const path = process.env["PATH"];

  beforeAll(async () => {
    world = await openWorld();
    folder = await mkdtemp(join(tmpdir(), "converter-"));
  });
  afterEach(() => void (process.env["PATH"] = path));
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await world.close();
  });

  /** Stands in for the converter: writes to the last of its arguments. */
  const converter = async (script: string) => {
    await writeFile(join(folder, "ffmpeg"), `#!/bin/sh\nfor last; do :; done\n${script}\n`, { mode: 0o755 });
    process.env["PATH"] = `${folder}:${path}`;
  };

  it("is converted", async () => {
    const { session } = await world.pair("Anna");
    const carla = await world.newPhone("Carla");
    await converter('printf converted > "$last"');
    const media = session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3");
    const { id, outcome } = await session.sends(chatOf(carla), { kind: "voice", media, convert: true });
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { type: "voice", media: { token: media.token } } });
    const record = await shown(carla, ({ message_id }) => message_id === id);
    expect(record.media).toMatchObject({ mimetype: "audio/ogg; codecs=opus", sha256: sha256(Buffer.from("converted")) });
  });

  it("is refused when it cannot be converted, or would not be seen", async () => {
    const { session } = await world.pair("Berta");
    const carla = await world.newPhone("Carla");
    await converter("exit 1");
    const sound = session.media.keep(randomBytes(2_000), "audio/mpeg", "a.mp3");
    const invalid = { kind: "refused", failure: { code: "media_invalid" } };
    expect((await session.sends(chatOf(carla), { kind: "voice", media: sound, convert: true })).outcome).toEqual(invalid);
    process.env["PATH"] = folder;
    await rm(join(folder, "ffmpeg"));
    const picture = session.media.keep(PNG, "image/png");
    expect((await session.sends(chatOf(carla), { kind: "sticker", media: picture })).outcome).toEqual(invalid);
    // Without a converter a voice note goes as it is: most phones play it.
    expect((await session.sends(chatOf(carla), { kind: "voice", media: sound, convert: true })).outcome.kind).toBe("acknowledged");
  });
});
