// Files are on several network hosts; if one fails, the next is used.
import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { MediaTrouble } from "#root/test-network/media/blobs.ts";
import { expireMedia } from "#root/test-network/phone/messages/lost-media.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { runOk } from "../commands/run-command.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

let world: World;
let anna: SimulatedPhone, carla: SimulatedPhone;
let session: Session;
let tried: string[] = [];

const seeTried = (message: unknown) => tried.push((message as { connectParams: { host: string } }).connectParams.host);

beforeAll(async () => {
  world = await openWorld({ spareMediaHost: true });
  ({ phone: anna, session } = await world.pair("Anna"));
  carla = await world.newPhone("Carla");
  subscribe("undici:client:beforeConnect", seeTried);
});
afterEach(() => {
  world.network.blobs.trouble = null;
  tried = [];
});
afterAll(async () => {
  unsubscribe("undici:client:beforeConnect", seeTried);
  await world.close();
});

const sendFile = async (bytes: Buffer) =>
  must(await carla.send(anna.pn, { type: "document", file: { bytes, mimetype: "application/zip", filename: "a.zip" }, caption: null }))
    .message_id;

it.each<MediaTrouble["kind"]>(["down", "cut"])("host 1 broken (%s): the file comes from host 2", async (kind) => {
  world.network.blobs.trouble = { kind } as MediaTrouble;
  const bytes = randomBytes(700_000);
  const { media } = await session.received(await sendFile(bytes));
  expect(session.media.files.get(media?.token ?? "")?.bytes.equals(bytes)).toBe(true);
  expect(world.network.stats.downloads).toBeGreaterThan(0);
});

it("an expired file is requested from the phone, not from the next host", async () => {
  const bytes = randomBytes(2_000);
  const id = await sendFile(bytes);
  const { raw } = await session.received(id);
  tried = [];
  await anna.act((phone) => expireMedia(phone, id, 403));
  const media = await runOk(session, "messages.fetch_media", { raw: raw ?? "" });
  expect(session.media.files.get(media.token ?? "")?.bytes).toEqual(bytes);
  expect(tried).not.toContain(world.spareMediaHost);
});

it("host 1 broken: a file to send goes to host 2", async () => {
  world.network.blobs.trouble = { kind: "cut" };
  const bytes = randomBytes(3_000);
  const media = session.media.keep(bytes, "application/zip", "b.zip");
  const { id, outcome } = await session.sendAndSettle(chatOf(carla), { kind: "document", media, caption: null });
  expect(outcome.kind).toBe("acknowledged");
  expect(await shown(carla, ({ message_id }) => message_id === id)).toMatchObject({ media: { size: bytes.length } });
});
