// The bridge notices an open line that brings nothing, and opens a new one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;

describe("on the network", () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it("a deaf socket delivers again within 15 minutes, and nothing is lost", { timeout: 300_000 }, async () => {
    // The bridge's clock begins at 9:01, goes on by a minute at each SIGUSR2, and to the next day's 9:01 at SIGWINCH.
    const clock = `const now = Date.now; let ahead = 86_400_000 - ((now() - 32_460_000) % 86_400_000);
      // Not the library's: its pings compare clocks.
      Date.now = () => now() + (/node_modules.baileys/.test(new Error("clock").stack.split(String.fromCharCode(10))[2]) ? 0 : ahead);
      process.on("SIGUSR2", () => (ahead += 60_000)); process.on("SIGWINCH", () => (ahead += 83_760_000));`;
    const bridge = await world.startBridge(`data:text/javascript,${encodeURIComponent(clock)}`);
    const { connection, phone } = await world.link();
    const friend = await world.newPhone();
    let sent = 0;
    const receive = async () => {
      const text = `message ${(sent += 1)}`;
      await friend.sendText(`${phone.pn}@c.us`, text);
      await eventually(text, TIMEOUT_MS, () => receivedTexts(connection).includes(text));
    };
    /** One by one: signals of one kind that wait are one. */
    const minutes = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        bridge.child.kill("SIGUSR2");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const opens = () => connection.of("session.open").length;
    for (let day = 0; day <= 3; day += 1) {
      for (let n = 0; n < 12; n += 1) {
        await receive();
        if (n < 11) await minutes(4);
      }
      if (day === 3) break;
      // The rest of the day passes while the line is away.
      const before = opens();
      const closes = connection.of("session.closed").length;
      world.network.faults.add({ phone: phone.pn, kind: "close", code: 428 });
      await eventually("the line to be away", TIMEOUT_MS, () => connection.of("session.closed").length > closes);
      bridge.child.kill("SIGWINCH");
      await eventually("the line to be open", TIMEOUT_MS, () => opens() > before);
    }
    const before = opens();
    world.network.faults.add({ phone: phone.pn, kind: "deaf" });
    await friend.sendText(`${phone.pn}@c.us`, "into deaf ears");
    await minutes(9);
    expect(bridge.output()).not.toContain("network.deaf");
    await minutes(5);
    await eventually("the line to be opened anew", TIMEOUT_MS, () => opens() > before);
    await eventually("what had waited", TIMEOUT_MS, () => receivedTexts(connection).includes("into deaf ears"));
    expect(receivedTexts(connection)).toHaveLength(sent + 1);
    expect(bridge.output().match(/"event":"network.deaf"/g)).toHaveLength(1);
  });
});
