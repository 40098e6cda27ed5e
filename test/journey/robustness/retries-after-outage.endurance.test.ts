// Webhook retries that fell due while the whole deployment was down, on numbers without later calls.
import { afterEach, beforeEach, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const NUMBERS = 6;
/** Longer than `LATE_MS` of src/domain/catch-up.ts plus the first retry's delay. */
const DOWN_MS = 75_000;
/** The minute over which overdue work is spread, plus some seconds for the retry. */
const RETRIED_WITHIN_MS = 75_000;

let sandbox: Sandbox;
let receiver: Receiver;
beforeEach(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(), Receiver.start()]);
});
afterEach(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

it("after an outage, every due retry is made within 75 s of the start", { timeout: 900_000 }, async () => {
  const ready = sandbox.ready();
  const contact = ready.demo.contact!.phone;
  await phones(ready).call("PATCH", `/phones/${contact}`, { reply: null });
  receiver.reply = (_received, response) => response.writeHead(500).end();
  const paths = Array.from({ length: NUMBERS }, (_, n) => `/hook/${n}`);
  const numbers: string[] = [];
  for (const [n, path] of paths.entries()) {
    const { id, phone, owner } = await pairConnection(ready, `55119700000${n}0`, { name: `Shop ${n}` });
    const webhook = { url: new URL(path, receiver.url).href, events: ["message.received"] };
    expect((await owner.call("PUT", `/connections/${id}/webhook`, webhook)).status).toBe(201);
    numbers.push(phone);
  }
  // All at once: the deployment must end before the first retries, five seconds later.
  await Promise.all(numbers.map((phone) => phones(ready).send(contact, { to: phone, text: "Bom dia" })));
  const arrivedAt = (path: string, after: number) => receiver.received.find((each) => each.path === path && each.at > after)?.at;
  await eventually("a failed delivery of each", 60_000, () => paths.every((path) => arrivedAt(path, 0) !== undefined));

  await sandbox.kill();
  expect(receiver.received).toHaveLength(NUMBERS);
  // The outage takes real time, because the platform's alarms use the real clock.
  await new Promise((resolve) => setTimeout(resolve, DOWN_MS));
  receiver.reply = (_received, response) => response.writeHead(200).end();
  const startedAt = performance.now();
  await sandbox.start();
  const upAt = performance.now();
  const deadline = upAt + RETRIED_WITHIN_MS;
  const isOver = () => performance.now() > deadline || paths.every((path) => arrivedAt(path, startedAt) !== undefined);
  await eventually("all retries, or the time for them is over", 2 * RETRIED_WITHIN_MS, isOver);
  const tookS = paths.map((path) => Math.round(((arrivedAt(path, startedAt) ?? Number.NaN) - upAt) / 100) / 10);
  process.stdout.write(`retries after the start (s): ${tookS.join(", ")}\n`);
  expect(tookS.filter((s) => Number.isNaN(s))).toEqual([]);
});
