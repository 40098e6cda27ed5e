// A complete bridge whose client version the network refuses, until the pool specifies another (docs/operate/bridges.md, "Client version").
import { DEFAULT_CONNECTION_CONFIG } from "baileys";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openWorld, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;
const SESSIONS = 100;

let world: World;
const newer = (by: number): string => {
  const [primary, secondary, tertiary] = DEFAULT_CONNECTION_CONFIG.version;
  return [primary, secondary, tertiary + by].join(".");
};

beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

it("100 sessions refused with 405 open within 10 minutes of one pool value, at most 8 handshakes at once", async () => {
  const { access, faults } = world.network;
  await world.startBridge();
  const linked: Awaited<ReturnType<World["link"]>>[] = [];
  while (linked.length < SESSIONS) linked.push(...(await Promise.all(Array.from({ length: 10 }, () => world.link()))));
  const refused = (one: (typeof linked)[number]) =>
    one.connection.of("session.closed").some(({ code, waits }) => code === 405 && waits === true);
  const opened = (one: (typeof linked)[number]) => one.connection.of("session.open").length === 2;
  Object.assign(access, { minVersion: newer(9), servedVersion: newer(0) });
  for (const { phone } of linked) faults.add({ phone: phone.pn, kind: "drop_socket" });
  await eventually("all to be refused", 5 * TIMEOUT_MS, () => linked.every(refused));
  expect(linked.some(opened)).toBe(false);

  access.mostHandshakes = 0;
  const set = performance.now();
  world.gateway.setClientVersion({ version: newer(9), max: null });
  await eventually("all to be open", 600_000, () => linked.every(opened));
  const seconds = Math.round((performance.now() - set) / 100) / 10;
  console.info(`${SESSIONS} sessions open ${seconds} s after the version was set, at most ${access.mostHandshakes} handshakes at once`);
  expect(access.mostHandshakes).toBeLessThanOrEqual(8);
  expect(linked.every(({ connection }) => connection.of("session.gave_up").length === 0)).toBe(true);
  const announced = () => world.gateway.controlFrames.findLast((frame) => frame.type === "load")?.client_version;
  await eventually("the bridge to say what it announces", TIMEOUT_MS, () => announced()?.source === "set");
  expect(announced()).toEqual({ version: newer(9), source: "set" });
}, 1_200_000);
