import { expect, it } from "vitest";
import { DeliveryIds, couldBeDeliveryOf } from "@gateway/domain/webhooks/delivery-ids.ts";

const [one, other] = ["0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b", "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5c"];

it("a delivery id is the same for one event, and differs by event, receiver and connection", () => {
  const ids = new DeliveryIds(one);
  const id = ids.of(1, "message.received", "message:1#0");
  expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(new DeliveryIds(one).of(1, "message.received", "message:1#0")).toBe(id);
  const others = [
    ids.of(2, "message.received", "message:1#0"),
    ids.of(1, "message.sent", "message:1#0"),
    ids.of(1, "message.received", "message:2#0"),
    new DeliveryIds(other).of(1, "message.received", "message:1#0"),
  ];
  expect(new Set([id, ...others]).size).toBe(5);
});

it("a delivery id shows which of an account's connections may hold the delivery", () => {
  const id = new DeliveryIds(one).of(1, "message.received", "x");
  expect([one, other].filter((connection) => couldBeDeliveryOf(connection, id))).toEqual([one]);
  expect(couldBeDeliveryOf(one, "msg_")).toBe(false);
});
