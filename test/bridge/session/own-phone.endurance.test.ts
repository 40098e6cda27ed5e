// The bridge reports the number's own phone as off after ten days (docs/internals/sessions.md, "A phone that is off").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openWorld, sendText, type World } from "../durability/world.ts";

const TIMEOUT_MS = 90_000;

describe("on the network", () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it("a phone that is off is reported after ten days, and again when it is back", { timeout: 300_000 }, async () => {
    // The bridge's clock goes on by two days at each SIGUSR2, but not the library's: its pings compare clocks.
    const clock = `const now = Date.now; let ahead = 0;
      Date.now = () => now() + (/node_modules.baileys/.test(new Error("clock").stack.split(String.fromCharCode(10))[2]) ? 0 : ahead);
      process.on("SIGUSR2", () => (ahead += 172_800_000));`;
    const bridge = await world.startBridge(`data:text/javascript,${encodeURIComponent(clock)}`);
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    const twoDays = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        bridge.child.kill("SIGUSR2");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await sendText(connection, friend, "with the phone on");
    await eventually("the phone's copy", TIMEOUT_MS, () => phone.inbox().some(({ text }) => text === "with the phone on"));
    await phone.change({ online: false });
    await twoDays(1);
    await sendText(connection, friend, "with the phone off");
    await twoDays(5);
    const { unseen_since, timestamp } = await connection.saw("session.phone", (event) => event.unseen_since !== null);
    expect(timestamp - (unseen_since ?? 0)).toBeGreaterThanOrEqual(10 * 86_400);
    await eventually("a line in the log", TIMEOUT_MS, () => bridge.output().includes('"event":"phone.unseen"'));

    await phone.change({ online: true });
    await connection.saw("session.phone", (event) => event.unseen_since === null);
  });
});
