import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestNetworkWithPhones, type RunningNetworkWithPhones } from "#root/test-network/start-with-phones.ts";
import { freshNumber, must, shown } from "./world.ts";

describe("many phones on one network", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "phones-"));
  const numbers = Array.from({ length: 40 }, freshNumber);
  let world: RunningNetworkWithPhones;
  beforeAll(async () => {
    world = await startTestNetworkWithPhones({ stateDir });
    for (const number of numbers) await world.createPhone(number);
    const [first, second] = [world.phone(numbers[0] ?? ""), world.phone(numbers[1] ?? "")];
    await second.change({ online: false });
    must(await first.sendText(second.pn, "while you were off"));
    await world.close();
    world = await startTestNetworkWithPhones({ stateDir });
  });
  afterAll(async () => {
    await world.close();
    rmSync(stateDir, { recursive: true });
  });

  const loaded = () => [...world.phones.loaded()].map(({ pn }) => pn);

  it("are all there after a restart, and are loaded only when something happens to them", async () => {
    expect((await (await fetch(`${world.controlUrl}/phones`)).json()) as object).toMatchObject({
      data: numbers.map((phone) => ({ phone })),
    });
    expect(loaded()).toEqual([]);
    const [third, fourth] = [numbers[2] ?? "", numbers[3] ?? ""];
    must(await world.phone(third).sendText(fourth, "hello"));
    await shown(world.phone(fourth), ({ text }) => text === "hello");
    expect(loaded().toSorted()).toEqual([third, fourth]);
  });

  it("stay switched off over a restart, and receive waiting messages when switched on", async () => {
    const second = world.phone(numbers[1] ?? "");
    await second.idle();
    expect(second.options.online).toBe(false);
    expect(second.inbox()).toEqual([]);
    await second.change({ online: true });
    expect(await shown(second, ({ text }) => text === "while you were off")).toMatchObject({ duplicates: 0 });
  });

  it("reach everybody with a status post when no audience is named", async () => {
    const { message_id } = must(await world.phone(numbers[0] ?? "").sendText("status@broadcast", "hello all"));
    for (const number of numbers.slice(1)) await shown(world.phone(number), (record) => record.message_id === message_id);
    expect(loaded()).toHaveLength(numbers.length);
  });
});
