// The bridge reports after ten days that the number's own phone is off (docs/internals/sessions.md, "A phone that is off").
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { steppedClock } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, sendText, type World } from "../durability/world.ts";

/** The bridge reports every 30 s. */
const TIMEOUT_MS = 90_000;

describe("on the network", () => {
  let world: World;

  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it("a phone that is off is reported after ten days, and again when it is back", { timeout: 300_000 }, async () => {
    const bridge = await world.startBridge(steppedClock({ step: 2 * DAY_MS }));
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    const row = () => connection.rows.get("bridge|own-phone");
    await eventually("the bridge to know the phone", TIMEOUT_MS, () => row());
    /** Sends a text and waits until the bridge has stored its effects; only then may its clock move. */
    const noted = async (what: string, text: string) => {
      const before = row();
      await sendText(connection, friend, text);
      await eventually(what, TIMEOUT_MS, () => row() !== before);
    };
    await noted("the phone's confirmation", "with the phone on");
    await phone.change({ online: false });
    await bridge.moveClock();
    await noted("the message that the phone does not confirm", "with the phone off");
    for (let n = 0; n < 5; n += 1) await bridge.moveClock();
    const { unseen_since, timestamp } = await connection.saw("session.phone", (event) => event.unseen_since !== null, TIMEOUT_MS);
    expect(timestamp - (unseen_since ?? 0)).toBeGreaterThanOrEqual(10 * 86_400);
    await eventually("a line in the log", TIMEOUT_MS, () => bridge.output().includes('"event":"phone.unseen"'));

    await phone.change({ online: true });
    await connection.saw("session.phone", (event) => event.unseen_since === null, TIMEOUT_MS);
  });
});
