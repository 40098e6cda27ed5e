// Concurrent messages in both directions over a slow store (docs/internals/durability.md, "How messages get lost": C1). Interleaved ratchet steps
// would make messages undecryptable.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { inAnyOrder, openWorld, receivedTexts, sendText, shownTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
const EACH_WAY = 60;
const SLOW_ROUND_TRIP_MS = 500;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterEach(() => void (world.gateway.roundTripMs = 0));
afterAll(() => world.close());

const numbered = (word: string): string[] => Array.from({ length: EACH_WAY }, (_, at) => `${word} ${at}`);

type Exchange = { connection: FakeConnection; friend: SimulatedPhone; out: string[]; back: string[]; commits: number };

/** Sends `EACH_WAY` messages in each direction, after a greeting. `commits` is how many stored them. */
async function exchange(roundTripMs: number): Promise<Exchange> {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  await sendText(connection, friend, "hello");
  await eventually("the greeting", TIMEOUT_MS, () => shownTexts(friend).includes("hello"));
  world.gateway.roundTripMs = roundTripMs;
  const commitsBefore = connection.commits;

  const out = numbered("out");
  const back = numbered("back");
  await Promise.all([
    ...out.map((text) => sendText(connection, friend, text)),
    ...back.map((text) => friend.sendText(`${phone.pn}@c.us`, text)),
  ]);
  await eventually("all at the connection", TIMEOUT_MS, () => receivedTexts(connection).length >= EACH_WAY);
  await eventually("all at the friend", TIMEOUT_MS, () => shownTexts(friend).length >= EACH_WAY + 1);
  await eventually("all sends to be settled", TIMEOUT_MS, () => connection.of("send.settled").length >= EACH_WAY + 1);
  return { connection, friend, out, back, commits: connection.commits - commitsBefore };
}

it.each([5, 30])(
  "a bridge with a store round trip of %i ms decrypts all traffic, and its contact decrypts all of its sends",
  async (roundTripMs) => {
    const { connection, friend, out, back } = await exchange(roundTripMs);
    expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(back));
    expect(inAnyOrder(shownTexts(friend))).toEqual(inAnyOrder(["hello", ...out]));
    expect(connection.of("send.settled").map(({ outcome }) => outcome.kind)).toEqual(
      Array.from({ length: EACH_WAY + 1 }, () => "acknowledged"),
    );
    expect(friend.troubles).toEqual([]);
  },
);

it("many messages share one commit, because the round trip must not limit throughput", async () => {
  // With a short round trip, a busy machine has only one message ready for each commit.
  const { commits } = await exchange(SLOW_ROUND_TRIP_MS);
  expect(commits).toBeLessThan(EACH_WAY);
});

it("one customer's silent store delays no other customer who messages the same contact", async () => {
  const [stuck, well] = [await world.link(), await world.link()];
  const friend = await world.newPhone();
  for (const { connection, phone } of [stuck, well]) {
    await sendText(connection, friend, `hello from ${phone.pn}`);
    await friend.sendText(`${phone.pn}@c.us`, "hello back");
    await eventually("the greeting", TIMEOUT_MS, () => receivedTexts(connection).includes("hello back"));
  }
  stuck.connection.silent = true;
  const lost = sendText(stuck.connection, friend, "waits for its store");
  await friend.sendText(`${stuck.phone.pn}@c.us`, "waits for its store");
  const texts = numbered("goes on");
  await Promise.all(texts.flatMap((text) => [sendText(well.connection, friend, text), friend.sendText(`${well.phone.pn}@c.us`, text)]));
  await eventually("all at the friend", TIMEOUT_MS, () => texts.every((text) => shownTexts(friend).includes(text)));
  await eventually("all at the connection", TIMEOUT_MS, () => texts.every((text) => receivedTexts(well.connection).includes(text)));
  expect(receivedTexts(stuck.connection), "the other's store is still silent").toEqual(["hello back"]);
  expect(shownTexts(friend)).not.toContain("waits for its store");

  stuck.connection.silent = false;
  stuck.connection.socket?.terminate();
  await eventually("what waited", TIMEOUT_MS, () => receivedTexts(stuck.connection).includes("waits for its store"));
  await lost.catch(() => undefined);
  expect(friend.troubles).toEqual([]);
});

it("two customers who message the same contact stay isolated from each other", async () => {
  const [one, two] = [await world.link(), await world.link()];
  const friend = await world.newPhone();
  const texts = numbered("to the same");
  await Promise.all(
    [one, two].flatMap(({ connection, phone }) =>
      texts.flatMap((text) => [
        sendText(connection, friend, `${phone.pn} ${text}`),
        friend.sendText(`${phone.pn}@c.us`, `${phone.pn} ${text}`),
      ]),
    ),
  );
  for (const { connection, phone } of [one, two]) {
    await eventually("all at the connection", TIMEOUT_MS, () => receivedTexts(connection).length >= EACH_WAY);
    expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(texts.map((text) => `${phone.pn} ${text}`)));
  }
  await eventually("all at the friend", TIMEOUT_MS, () => shownTexts(friend).length >= 2 * EACH_WAY);
  expect(friend.troubles).toEqual([]);
});
