// The statistics after bridge and worker kills under load, compared with the counts of phones and receivers.
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, person, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { Receiver } from "../../support/receiver.ts";
import { type Kills, RepeatedSends, sendBothWays } from "./load/repeated-sends.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const SENDS = 240;
/** Kills a process with SIGKILL after this many sends. */
const KILLS: Kills = new Map([
  [25, "bridge"],
  [50, "worker"],
  [75, "bridge"],
  [100, "bridge"],
  [125, "worker"],
  [150, "bridge"],
  [175, "bridge"],
  [200, "worker"],
]);

/** Counts that stay unchanged this long are final. */
const SILENCE_MS = 60_000;

let sandbox: Sandbox;
let receivers: Receiver[];
beforeEach(async () => {
  [sandbox, ...receivers] = await Promise.all([startSandbox(), Receiver.start(), Receiver.start()]);
});
afterEach(async () => {
  await Promise.all([sandbox.dispose(), ...receivers.map((receiver) => receiver.stop())]);
});

type Numbers = { sent: number; received: number; failed: number; deliveries: number; delivered: number; given_up: number; pending: number };

/** The demo connection's counts, once pushed to D1. */
async function numbers(): Promise<Numbers> {
  const { admin, app_url, demo } = sandbox.ready();
  const { token } = await person(sandbox.ready(), admin.email);
  const pushed = await ask(`${app_url}/sandbox/statistics`, { method: "POST" });
  if (pushed.status !== 200) throw new Error(`not pushed: ${pushed.status}`);
  const { status, body } = await ask(`${app_url}/api/admin/statistics?interval=hour&instance_id=${demo.connection.instance_id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (status !== 200) throw new Error(`no statistics: ${JSON.stringify(body)}`);
  const { messages, webhooks } = body.data;
  const { sent, received, failed } = messages;
  return {
    sent,
    received,
    failed,
    deliveries: webhooks.deliveries,
    delivered: webhooks.delivered,
    given_up: webhooks.failed,
    pending: webhooks.pending,
  };
}

/** Counts distinct delivery ids, because the receivers accept everything. */
const accepted = () => receivers.reduce((sum, receiver) => sum + new Set(receiver.events<{ id: string }>().map(({ id }) => id)).size, 0);

describe("the statistics", { timeout: 1_200_000 }, () => {
  it("equal the truth after five kills of the bridge and three of the worker", async () => {
    const { app_url, demo } = sandbox.ready();
    const contact = demo.contact!.phone;
    await phones(sandbox.ready()).call("PATCH", `/phones/${contact}`, { reply: null });
    const [own, ofAccount] = receivers.map(({ url }) => url);
    const put = await (await person(sandbox.ready())).call("PUT", `/connections/${demo.connection.id}/webhook`, { url: own });
    expect(put.status).toBe(201);
    const events = ["message.received", "message.sent"];
    const made = await ask(`${app_url}/api/webhooks`, { headers: { "x-api-key": demo.api_key }, json: { url: ofAccount, events } });
    expect(made.status).toBe(201);
    const before = await numbers();

    const sends = new RepeatedSends(sandbox, contact);
    const { answers, fromPhone: sent } = await sendBothWays(sandbox, sends, SENDS, KILLS);
    const fromPhone = new Set(sent.map((reply) => reply.body.message_id as string));

    const truth = async () => ({
      sent: before.sent + (await phones(sandbox.ready()).inbox(contact)).filter(({ text }) => String(text).startsWith("out-")).length,
      received: before.received + fromPhone.size,
      delivered: accepted(),
      given_up: 0,
      pending: 0,
    });
    let [counted, real] = [await numbers(), await truth()];
    let [last, changedAt] = ["", performance.now()];
    await eventually("everything is settled and delivered, or nothing changes any more", 420_000, async () => {
      // The same read is allowed sixty times a minute.
      await pause(1_500);
      [counted, real] = [await numbers(), await truth()];
      const now = JSON.stringify([counted, real]);
      // Events since the previous poll may still be on their way to receivers.
      const isUnchanged = now === last;
      if (!isUnchanged) [last, changedAt] = [now, performance.now()];
      const isSettled =
        isUnchanged &&
        counted.pending === 0 &&
        counted.received >= real.received &&
        counted.sent >= real.sent &&
        counted.delivered >= real.delivered;
      return isSettled || performance.now() - changedAt > SILENCE_MS;
    });
    expect(counted).toEqual({ ...real, deliveries: real.delivered, failed: counted.failed });
    // The outcome of sends cut off by a kill is unknown.
    expect(counted.failed - before.failed).toBeGreaterThanOrEqual(sends.refused.size);
    expect(counted.failed - before.failed).toBeLessThanOrEqual(sends.refused.size + sends.cutOff);
    const uncertain = answers.filter(({ status }) => status === 424).length;
    process.stdout.write(
      `statistics: 5 bridge and 3 worker kills; counted ${counted.sent - before.sent} sent (${uncertain} were answered 424), ` +
        `${counted.received - before.received} received, ${counted.delivered} delivered of ${counted.deliveries}; phones and receivers say the same\n`,
    );
    // Pushing everything again must not change any count.
    expect(await numbers()).toEqual(counted);
  });
});
