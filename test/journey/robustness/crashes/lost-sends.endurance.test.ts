import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person, phones, type Reply } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { Receiver } from "#root/test/support/receiver.ts";
import { type Sandbox, startSandbox } from "#root/test/support/sandbox.ts";

const MEANWHILE = new Set([0, 429, 500, 502, 503, 504]);
const AGAIN_MS = 200;
const WITHIN_MS = 120_000;
/** Stays below the repeated-read limit. */
const POLL_MS = 1_500;

let sandbox: Sandbox;
let receiver: Receiver;
let contact: string;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(), Receiver.start()]);
  const { demo } = sandbox.ready();
  contact = demo.contact?.phone ?? "";
  await phones(sandbox.ready()).call("PATCH", `/phones/${contact}`, { reply: null });
  const put = await (await person(sandbox.ready())).call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url });
  expect(put.status).toBe(201);
  expect((await customer(sandbox.ready()).text(contact, "first contact")).status).toBe(200);
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

/** The send reaches a stopped bridge; then bridge and worker are killed. Nobody repeats the call. */
async function lose(text: string, headers: Record<string, string> = {}): Promise<void> {
  await eventually("the number is connected", WITHIN_MS, async () => {
    await pause(POLL_MS);
    const read = await customer(sandbox.ready())
      .get("/instance")
      .catch(() => null);
    return read?.body?.data?.status === "connected";
  });
  const { bridge, worker } = sandbox.ready().processes;
  process.kill(bridge, "SIGSTOP");
  const answer = customer(sandbox.ready())
    .text(contact, text, headers)
    .then(
      ({ status }) => status,
      () => 0,
    );
  await eventually("the send is stored", WITHIN_MS, async () => (await stored(text)).length === 1);
  process.kill(bridge, "SIGKILL");
  process.kill(worker, "SIGKILL");
  expect(MEANWHILE).toContain(await answer);
  await eventually("both were started again", WITHIN_MS, () => {
    const { processes } = sandbox.ready();
    return processes.bridge !== bridge && processes.worker !== worker;
  });
}

async function stored(text: string): Promise<Record<string, any>[]> {
  // Pauses so that polling doesn't use up the burst limit before the send itself.
  await pause(AGAIN_MS);
  const listed = await customer(sandbox.ready())
    .get("/messages?limit=20")
    .catch(() => null);
  const messages: Record<string, any>[] = listed?.status === 200 ? listed.body.data : [];
  return messages.filter((message) => message["text"] === text);
}

const copies = async (text: string) =>
  (await phones(sandbox.ready()).inbox(contact)).filter((message) => message["text"] === text && message["from_me"] === false);

describe("a send whose bridge, worker and caller are killed before it left", () => {
  it("does not stay pending: it is reported as failed", async () => {
    const text = `lost with all ${crypto.randomUUID()}`;
    await lose(text);
    const failed = await eventually("the message is final", WITHIN_MS, async () => {
      const [message] = await stored(text);
      return message?.["status"] !== "pending" && message;
    });
    expect([failed["status"], failed["error"]["codigo"]]).toEqual(["failed", "indisponivel"]);
    await eventually("the event has come", WITHIN_MS, () =>
      receiver
        .events<{ type: string; data: Record<string, unknown> }>()
        .some(({ type, data }) => type === "message.status" && data["message_id"] === failed["message_id"] && data["status"] === "failed"),
    );
    expect(await copies(text)).toEqual([]);
  });

  it("decides what its Idempotency-Key sends, even for another body", async () => {
    const attempt = crypto.randomUUID();
    const [first, other] = [`first body ${attempt}`, `other body ${attempt}`];
    const headers = { "idempotency-key": attempt };
    await lose(first, headers);
    const deadline = performance.now() + WITHIN_MS;
    let answer: Reply | null = null;
    while (answer === null || MEANWHILE.has(answer.status)) {
      if (performance.now() > deadline) throw new Error(`never answered: ${answer?.status}`);
      await pause(AGAIN_MS);
      answer = await customer(sandbox.ready())
        .text(contact, other, headers)
        .catch(() => null);
    }
    expect([answer.status, answer.headers.get("idempotency-mismatch"), answer.headers.get("idempotent-replayed")]).toEqual([
      200,
      "true",
      "true",
    ]);
    const [seen, ...more] = await copies(first);
    expect([seen?.["message_id"], more, await copies(other)]).toEqual([answer.body.message_id, [], []]);
  });
});
