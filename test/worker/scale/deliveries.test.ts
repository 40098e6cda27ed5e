// Rows and alarms of webhook deliveries.
import { beforeEach, expect, it, vi } from "vitest";
import { counted, writtenBy } from "./counters.ts";
import {
  respond204,
  respond500,
  connection,
  endpoint,
  freezeTime,
  received,
  SECOND,
  START,
  withWebhook,
} from "../delivery/delivery-connection.ts";

beforeEach(() => freezeTime());

it("a delivery that is accepted at once writes three rows, its body included", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  await fixture.emit(received());
  vi.setSystemTime(START + SECOND);
  const counts = await counted(() => fixture.emit(received()));
  expect(writtenBy(counts)).toEqual({ delivery: 3 });
});

it("a body that several receivers get is stored once", async () => {
  const fixture = connection();
  const urls = ["https://a.example.com/", "https://b.example.com/", "https://c.example.com/"];
  await fixture.in(({ deliveries }) => deliveries.account.replace(urls.map((url) => endpoint({ url }))));
  await fixture.emit(received());
  vi.setSystemTime(START + SECOND);
  const counts = await counted(() => fixture.emit(received()));
  expect(writtenBy(counts)).toEqual({ delivery: 9, body: 1 });
});

it("a further attempt writes four rows: its claim and its end, and where it stands by due time", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  vi.setSystemTime(START + 5 * SECOND);
  const { delivery = 0 } = writtenBy(await counted(fixture.alarm));
  expect(delivery).toBeLessThanOrEqual(4);
  fixture.outside.answer = respond204;
});
