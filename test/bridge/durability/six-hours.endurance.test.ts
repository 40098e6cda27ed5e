// Six hours without any network, on a bridge clock moved by the test: all sessions are back soon afterwards without a stampede, and
// nothing is lost. test/worker/pool/outage.endurance.test.ts covers the emails.
import { afterEach, beforeEach, expect, it } from "vitest";
import { CONNECT_CONCURRENCY } from "#root/session-bridge/bridge.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { steppedClock } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 120_000;
const SESSIONS = 24;
/** The longest delay between two attempts. */
const STEP_MS = 6 * MINUTE_MS;
const STEPS = (6 * HOUR_MS) / STEP_MS;
/** From this attempt on, delays exceed a minute, so moving the clock ends them. */
const LONG_PAUSES = 7;
const BACK_WITHIN_MS = 10 * MINUTE_MS;

let world: World;

beforeEach(async () => {
  world = await openWorld({ strict: true });
});
afterEach(() => world.close());

it("six hours without any network: all numbers back within ten minutes, no stampede, nothing lost", { timeout: 900_000 }, async () => {
  const bridge = await world.startBridge(steppedClock({ step: STEP_MS, waits: true }));
  const held: Awaited<ReturnType<World["link"]>>[] = [];
  for (let n = 0; n < SESSIONS; n += 1) held.push(await world.link());
  const friend = await world.newPhone("Friend");
  const { access, faults } = world.network;
  const attempts = () => held.map(({ connection }) => connection.of("session.reconnecting").at(-1)?.attempt ?? 0);
  let steps = 0;
  const step = async (): Promise<void> => {
    steps += 1;
    await bridge.moveClock();
  };

  access.refuseUpgrades({ status: 503, times: Number.POSITIVE_INFINITY });
  for (const { phone } of held) faults.add({ phone: phone.pn, kind: "close", code: 503 });
  await eventually("long pauses", TIMEOUT_MS, () => attempts().every((attempt) => attempt >= LONG_PAUSES));
  for (let n = 0; n < STEPS; n += 1) {
    const before = attempts();
    if (n % 20 === 0) for (const { phone } of held) must(await friend.sendText(`${phone.pn}@c.us`, `message ${n}`));
    await step();
    await eventually("another attempt of each", TIMEOUT_MS, () => attempts().every((attempt, index) => attempt > before[index]!));
  }

  const opens = () => held.filter(({ connection }) => connection.of("session.open").length === 2).length;
  expect(opens()).toBe(0);
  access.refuseUpgrades(null);
  access.mostHandshakes = 0;
  const returned = steps;
  await step();
  await eventually("all to be back", TIMEOUT_MS, () => opens() === SESSIONS);
  console.info(
    `${SESSIONS} sessions back within ${(steps - returned) * (STEP_MS / MINUTE_MS)} min, at most ${access.mostHandshakes} at once`,
  );
  expect((steps - returned) * STEP_MS).toBeLessThanOrEqual(BACK_WITHIN_MS);
  expect(access.mostHandshakes).toBeLessThanOrEqual(CONNECT_CONCURRENCY);
  const told = [0, 20, 40].map((n) => `message ${n}`);
  for (const { connection } of held) {
    await eventually("what had waited", TIMEOUT_MS, () => receivedTexts(connection).length >= told.length);
    expect(receivedTexts(connection)).toEqual(told);
    expect(connection.of("session.gave_up")).toEqual([]);
  }
});
