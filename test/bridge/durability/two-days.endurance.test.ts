// Two days of a number whose contacts post statuses, on a network that closes each connection after fifty minutes. Together, these used to
// stop numbers within two hours.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { steppedClock } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { inAnyOrder, openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
const LINE_MS = 50 * MINUTE_MS;
const LINES = Math.ceil((2 * DAY_MS) / LINE_MS);
const WORDS = ["ack", "xml-not-well-formed", ""];

let world: World;

beforeEach(async () => {
  world = await openWorld({ strict: true });
});
afterEach(() => world.close());

describe("lines that are recycled every 50 minutes for 48 hours", () => {
  it("never stop a number whose contacts post statuses, and every message is reported once", { timeout: 900_000 }, async () => {
    const bridge = await world.startBridge(steppedClock({ step: LINE_MS, waits: true }));
    const { connection, phone } = await world.link();
    const friend = await world.newPhone("Friend");
    const sent: string[] = [];
    let owing = 0;
    for (let line = 1; line <= LINES; line += 1) {
      const texts = [`status ${line}`, `message ${line}`];
      must(await friend.sendText("status@broadcast", texts[0]!, { audience: [phone.pn] }));
      must(await friend.sendText(`${phone.pn}@c.us`, texts[1]!));
      sent.push(...texts);
      // The network closes the connection because of a missing ack, which the session may have sent since.
      const owed = world.network.recycle(phone.pn);
      owing += owed;
      if (owed === 0) world.network.faults.add({ phone: phone.pn, kind: "close", word: WORDS[line % WORDS.length]! });
      await eventually(`line ${line + 1}`, TIMEOUT_MS, () => connection.of("session.open").length === line + 1);
      await eventually(texts.join(), TIMEOUT_MS, () => texts.every((text) => receivedTexts(connection).includes(text)));
      await bridge.moveClock();
    }
    await eventually("an empty queue", TIMEOUT_MS, () => world.network.directory.device(`${phone.pn}:1@s.whatsapp.net`)?.queue.size === 0);
    console.info(`${LINES} lines ended, ${owing} of them while an ack was owed`);
    expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(sent));
    expect(connection.of("session.gave_up")).toEqual([]);
    const closes = connection.of("session.closed").filter(({ reason }) => reason !== "restart_required");
    expect(closes.map(({ reason }) => reason)).toEqual(Array.from({ length: LINES }, () => "lost"));
    // Each connection was stable, so no close counts toward the next delay.
    expect(new Set(connection.of("session.reconnecting").map(({ attempt }) => attempt))).toEqual(new Set([1]));
    const opens = connection.of("session.open").map(({ timestamp }) => timestamp * 1_000);
    expect(opens.at(-1)! - opens[0]!).toBeGreaterThan(2 * DAY_MS - LINE_MS);
  });
});
