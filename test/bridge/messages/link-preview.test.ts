// Link previews as senders' phones make them, friendly and hostile.
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

const LINK = "https://loja.example/bolo";
const JPEG = await sharp({ create: { width: 96, height: 96, channels: 3, background: "red" } })
  .jpeg()
  .toBuffer();

let world: World;
let anna: SimulatedPhone, carla: SimulatedPhone;
let session: Session;

beforeAll(async () => {
  world = await openWorld();
  ({ phone: anna, session } = await world.pair("Anna"));
  carla = await world.newPhone("Carla");
});
afterAll(() => world.close());

type Given = { text?: string; url?: string; title?: string; description?: string; thumbnail?: Buffer };

async function received({ text = `Veja ${LINK}`, url = LINK, title = "Bolo", ...more }: Given) {
  const { message_id } = must(await carla.send(anna.pn, { type: "text", text, preview: { url, title, ...more } }));
  const message = await session.received(message_id);
  expect(message.text).toBe(text);
  return message.preview;
}

it("a received link preview is reported with its small picture", async () => {
  expect(await received({ description: "De cenoura", thumbnail: JPEG })).toEqual({
    url: LINK,
    title: "Bolo",
    description: "De cenoura",
    thumbnail: JPEG.toString("base64"),
  });
  expect(await received({ text: "loja.example/bolo", url: "loja.example/bolo" })).toEqual({
    url: LINK,
    title: "Bolo",
    description: null,
    thumbnail: null,
  });
});

it("long preview texts are cut to whole characters, and invisible ones are removed", async () => {
  const preview = await received({ title: "😀".repeat(50_000), description: `\u202Eexe.\u0000gpj\n\u2066fim ${"é".repeat(50_000)}` });
  expect(preview?.title).toBe("😀".repeat(200));
  expect(preview?.description).toBe(`exe.gpj fim ${"é".repeat(288)}`);
  expect(await received({ title: "\u0000\u202E \n" })).toBeUndefined();
});

it.each([
  ["a script", { text: "javascript:alert(1)", url: "javascript:alert(1)" }],
  ["data", { text: "data:text/html,x", url: "data:text/html,x" }],
  ["a link that the text does not contain", { url: "https://banco.example/" }],
  ["an endless link", { text: `${LINK}?${"a".repeat(3_000)}`, url: `${LINK}?${"a".repeat(3_000)}` }],
])("the preview of %s is dropped", async (_name, given) => {
  expect(await received(given)).toBeUndefined();
});

it.each([
  ["is not a JPEG", Buffer.from("<svg onload=alert(1)>")],
  ["is large", Buffer.concat([JPEG, Buffer.alloc(6 * 1024)])],
])("a preview's picture that %s is dropped", async (_name, thumbnail) => {
  expect(await received({ thumbnail })).toEqual({ url: LINK, title: "Bolo", description: null, thumbnail: null });
});

it("the preview of an own message is reported as it was sent", async () => {
  const image = session.media.keep(JPEG, "image/jpeg");
  const preview = { url: LINK, title: "Bolo", description: null, image };
  const { outcome } = await session.sendAndSettle(chatOf(carla), { kind: "text", text: `Veja ${LINK}`, preview });
  expect(outcome).toMatchObject({
    kind: "acknowledged",
    message: { preview: { url: LINK, title: "Bolo", description: null, thumbnail: JPEG.toString("base64") } },
  });
});
