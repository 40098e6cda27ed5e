// Chunks of history that the media host does not deliver (docs/internals/sessions.md, "History"). The library reports no such failure.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { remember } from "#root/test-network/phone/history.ts";
import type { MediaTrouble } from "#root/test-network/media/blobs.ts";
import { fasterTimersOf } from "../../support/bridge/faster-timers.ts";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
/** A phone sends them in three chunks (33 %, inline, then 66 % and 100 % as files). A fourth chunk has the names. */
const CHATS = [1, 2, 3, 4, 5].map((nth) => `55119${44_000_000 + nth}@c.us`);
const PER_CHAT = 200;
/** Only the journal's retries, and not the timeouts of work that the journal begins. */
const FASTER_RETRIES = fasterTimersOf("retryLater", 30);

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterEach(() => {
  world.network.blobs.trouble = null;
});
afterAll(() => world.close());

async function link(trouble: MediaTrouble) {
  const phone = await world.newPhone();
  await phone.act((parts) => {
    for (const chat of CHATS) {
      const past = Array.from({ length: PER_CHAT }, (_, at) => ({
        text: `line ${at}`,
        timestamp: 1_600_000_000 + at,
        from_me: true,
        read: true,
      }));
      remember(parts, chat, past);
    }
  });
  await phone.change({ history: "files" });
  world.network.blobs.trouble = trouble;
  const connection = world.gateway.connection();
  world.gateway.place(connection);
  await phone.scan((await connection.saw("session.qr")).raw);
  await connection.saw("session.open");
  return { phone, connection };
}

const states = (connection: FakeConnection) => connection.of("session.history").map(({ state, progress }) => `${state} ${progress}`);
const stored = (connection: FakeConnection) => connection.of("message.upsert").filter(({ origin }) => origin === "history").length;
const logged = (bridge: BridgeProcess, event: string) => bridge.output().split(`"${event}"`).length - 1;
const isDone = (connection: FakeConnection) => connection.rowsOf("journal").length === 0 && connection.rowsOf("history_chunk").length === 0;

it("a chunk whose connection breaks comes later, and the history is complete only then", async () => {
  const bridge = await world.startBridge(FASTER_RETRIES);
  const { phone, connection } = await link({ kind: "cut", times: 3 });
  await eventually("the chunk to be missing", TIMEOUT_MS, () => connection.rowsOf("history_chunk").length === 1);
  const friend = await world.newPhone();
  await friend.sendText(`${phone.pn}@c.us`, "meanwhile");
  await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("meanwhile"));
  await eventually("the end of the history", TIMEOUT_MS, () => states(connection).includes("complete 100"));
  expect(stored(connection)).toBe(CHATS.length * PER_CHAT);
  await eventually("the rows to be gone", TIMEOUT_MS, () => isDone(connection));
  expect(states(connection).filter((state) => state.startsWith("complete"))).toHaveLength(1);
  expect([logged(bridge, "history.delayed"), logged(bridge, "history.lost"), logged(bridge, "bridge.uncaught")]).toEqual([1, 0, 0]);
});

it("the next bridge fetches the missing chunks of a killed one", async () => {
  const bridge = await world.startBridge();
  const { connection } = await link({ kind: "cut" });
  await eventually("the chunks to be missing", TIMEOUT_MS, () => connection.rowsOf("history_chunk").length === 3);
  expect(states(connection)).not.toContain("complete 100");
  await bridge.kill();
  world.network.blobs.trouble = null;
  await world.startBridge(FASTER_RETRIES);
  world.gateway.place(connection);
  await eventually("the end of the history", TIMEOUT_MS, () => states(connection).includes("complete 100"));
  await eventually("the rows to be gone", TIMEOUT_MS, () => isDone(connection));
  expect(stored(connection)).toBe(CHATS.length * PER_CHAT);
});

it("a chunk that the host has deleted is lost, and the history is complete without it", async () => {
  const bridge = await world.startBridge();
  const { connection } = await link({ kind: "forbidden" });
  await eventually("the end of the history", TIMEOUT_MS, () => states(connection).includes("complete 100"));
  await eventually("the rows to be gone", TIMEOUT_MS, () => isDone(connection));
  await eventually("the log", TIMEOUT_MS, () => logged(bridge, "history.lost") === 3);
  expect(logged(bridge, "history.delayed")).toBe(0);
});
