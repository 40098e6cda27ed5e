// A customer and a phone exchange messages while processes are killed.
import { expect } from "vitest";
import { customer, person, phones } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { IS_SERVED } from "#root/test/support/one-machine/as-sandbox.ts";
import type { Receiver } from "#root/test/support/receiver.ts";
import { ok } from "#root/test/support/replies.ts";
import type { Sandbox } from "#root/test/support/sandbox.ts";
import { type Kills, RepeatedSends, sendBothWays } from "./repeated-sends.ts";

/** Once nothing has arrived for this long, nothing more will: a delivery's second retry already follows after five minutes. */
const SILENCE_MS = 400_000;

/** Sends `count` messages each way during the kills: none may be lost or duplicated. Returns the number of acknowledged sends. */
export async function loseNothing(sandbox: Sandbox, receiver: Receiver, count: number, kills: Kills): Promise<number> {
  const { demo } = sandbox.ready();
  const contact = demo.contact!.phone;
  await phones(sandbox.ready()).call("PATCH", `/phones/${contact}`, { reply: null });
  if (!IS_SERVED) {
    const put = await (await person(sandbox.ready())).call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url });
    expect(put.status).toBe(201);
  }

  const sends = new RepeatedSends(sandbox, contact);
  const { answers, fromPhone: sent } = await sendBothWays(sandbox, sends, count, kills);
  const fromPhone = sent.map((reply) => reply.body.message_id as string);

  // Every message from the phone is delivered at least once, under one delivery id.
  const deliveryIds = () => {
    const ids = new Map<string, Set<string>>();
    for (const event of receiver.events<{ id: string; type: string; data: { message_id: string } }>()) {
      if (event.type !== "message.received") continue;
      ids.set(event.data.message_id, (ids.get(event.data.message_id) ?? new Set()).add(event.id));
    }
    return ids;
  };
  const missing = async () => {
    // A served gateway calls public receivers only, so its history shows what arrived.
    const ids = IS_SERVED ? await idsInHistory(sandbox, contact) : deliveryIds();
    return fromPhone.flatMap((id, n) => (ids.has(id) ? [] : [`in-${n}`]));
  };
  let [before, silentSince] = [fromPhone.length, performance.now()];
  await eventually("all messages of the phone are delivered, or nothing more comes", 1_200_000, async () => {
    const now = (await missing()).length;
    if (now !== before) [before, silentSince] = [now, performance.now()];
    return now === 0 || performance.now() - silentSince > SILENCE_MS;
  });
  const lost = await missing();
  expect(lost.join(" "), `${lost.length} lost`).toBe("");
  expect(
    [...deliveryIds().values()].filter((ids) => ids.size > 1),
    "delivered under two ids",
  ).toEqual([]);

  // Every 200 is in the inbox exactly once, every uncertain send at most once, all others never.
  const inbox = await phones(sandbox.ready()).inbox(contact);
  const copies = (n: number) => inbox.filter((message) => message["text"] === `out-${n}`).length;
  const ill = answers.flatMap((answer, n) => {
    const many = copies(n);
    const right = answer.status === 200 ? many === 1 : answer.status === 424 ? many <= 1 : many === 0;
    return right ? [] : [{ n, status: answer.status, body: answer.body, copies: many }];
  });
  expect(ill).toEqual([]);
  expect(
    inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0),
    "a second copy of one id reached the phone",
  ).toEqual([]);

  const counts = Map.groupBy(answers, (answer) => answer.status);
  const arrived = answers.filter((answer, n) => answer.status === 424 && copies(n) === 1).length;
  process.stdout.write(
    `crash test: ${[...counts].map(([status, of]) => `${of.length} × ${status}`).join(", ")} (${arrived} of the 424 arrived); ${fromPhone.length} received\n`,
  );
  // The connection does not have to be paired again.
  const instance = await eventually("connected", 60_000, async () => {
    const { body } = await customer(sandbox.ready()).get("/instance");
    return body.data?.status === "connected" && body.data;
  });
  expect(instance.phone).toBe(demo.connection.phone);
  expect(
    receiver
      .events<{ type: string; data: { status: string } }>()
      .filter((event) => event.type === "instance.status" && event.data.status === "scan_qr"),
  ).toEqual([]);
  return counts.get(200)?.length ?? 0;
}

async function idsInHistory(sandbox: Sandbox, contact: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor = ""; ;) {
    const page = await ok(customer(sandbox.ready()).get(`/chats/${contact}/messages?limit=100${cursor}`));
    for (const { message_id } of page.data as { message_id: string }[]) ids.add(message_id);
    if (page.next_cursor === null) return ids;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor as string)}`;
  }
}
