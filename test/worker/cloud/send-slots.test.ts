// The order in which a Cloud API number's messages go to Graph (docs/internals/cloud.md, "Sending").
import { expect, it } from "vitest";
import { SendSlots, type Slot } from "#root/durable-objects/connection/cloud/send-slots.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

it("a temporarily refused message goes again before waiting ones", async () => {
  const slots = new SendSlots();
  const deadlineAt = Date.now() + MINUTE_MS;
  const order: string[] = [];
  const begun: Slot[] = [];
  const take = async (name: string, isAgain: boolean) => {
    const slot = await slots.take(deadlineAt, isAgain);
    order.push(name);
    if (slot !== null) begun.push(slot);
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  // As many sends as fit start at once.
  while (order.length === begun.length) {
    const before = begun.length;
    void take("first", false);
    await settle();
    if (begun.length === before) break;
  }
  void take("waits", false);
  void take("again", true);
  await settle();
  order.length = 0;
  for (const slot of begun.splice(0, 3)) slot.free();
  await settle();
  expect(order).toEqual(["again", "first", "waits"]);
});
