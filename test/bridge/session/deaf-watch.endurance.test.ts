// The bridge detects an open connection that receives nothing, and opens a new one.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { steppedClock } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;
/** The bridge's check interval, in real time. */
const LOOK_MS = 30_000;
/** The bridge's clock starts at 9:01, and a day's messages take 44 minutes. */
const MORNING_MS = 9 * HOUR_MS + MINUTE_MS;
const NIGHT_MS = DAY_MS - 44 * MINUTE_MS;

describe("on the network", () => {
  let world: World;

  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it("a deaf socket delivers again within 15 minutes, and nothing is lost", { timeout: 300_000 }, async () => {
    const bridge = await world.startBridge(steppedClock({ step: MINUTE_MS, leap: NIGHT_MS, from: MORNING_MS }));
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    let sent = 0;
    const receive = async () => {
      const text = `message ${(sent += 1)}`;
      await friend.sendText(`${phone.pn}@c.us`, text);
      await eventually(text, TIMEOUT_MS, () => receivedTexts(connection).includes(text));
    };
    const minutes = async (count: number) => {
      for (let n = 0; n < count; n += 1) await bridge.moveClock();
    };
    const opens = () => connection.of("session.open").length;
    for (let day = 0; day <= 3; day += 1) {
      for (let n = 0; n < 12; n += 1) {
        await receive();
        if (n < 11) await minutes(4);
      }
      if (day === 3) break;
      // The rest of the day passes while disconnected; otherwise it would count as 23 hours of normal silence.
      const before = opens();
      const closes = connection.of("session.closed").length;
      world.network.access.refuseUpgrades({ status: 503, times: Number.POSITIVE_INFINITY });
      world.network.faults.add({ phone: phone.pn, kind: "close", code: 428 });
      await eventually("the line to be away", TIMEOUT_MS, () => connection.of("session.closed").length > closes);
      await bridge.moveClock("leap");
      world.network.access.refuseUpgrades(null);
      await eventually("the line to be open", TIMEOUT_MS, () => opens() > before);
    }
    const before = opens();
    world.network.faults.add({ phone: phone.pn, kind: "deaf" });
    await friend.sendText(`${phone.pn}@c.us`, "into deaf ears");
    await minutes(9);
    expect(bridge.output()).not.toContain("network.deaf");
    await minutes(5);
    await eventually("the silence to be noticed", LOOK_MS + TIMEOUT_MS, () => bridge.output().includes("network.deaf"));
    await eventually("the line to be opened anew", TIMEOUT_MS, () => opens() > before);
    await eventually("what had waited", TIMEOUT_MS, () => receivedTexts(connection).includes("into deaf ears"));
    expect(receivedTexts(connection)).toHaveLength(sent + 1);
    expect(bridge.output().match(/"event":"network.deaf"/g)).toHaveLength(1);
  });
});
