// Disconnects timed by the network: refused upgrades, a half-open connection (docs/internals/statuses.md, "How network sockets close").
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

it("a session reconnects after refused upgrades", async () => {
  const { connection, phone } = await world.link();
  world.network.access.refuseUpgrades({ status: 503, times: 3 });
  world.network.faults.add({ phone: phone.pn, kind: "drop_socket" });
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
  expect(world.network.access).toMatchObject({ upgrades: null, refused: 3 });
  expect(connection.of("session.reconnecting").map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
});

it("a session notices a half-open socket and loses nothing", async () => {
  const { connection, phone } = await world.link();
  world.network.faults.add({ phone: phone.pn, kind: "freeze" });
  const friend = await world.newPhone();
  await friend.sendText(`${phone.pn}@c.us`, "into the void");
  // The library sends a keep-alive every 30 s and evaluates it at the next one; the network never reports that the connection is closed.
  await eventually("the end of the line", 85_000, () => connection.of("session.closed").some(({ code }) => code === 408));
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
  await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("into the void"));
});
