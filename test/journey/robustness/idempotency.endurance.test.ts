import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, phones, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const DUPLICATES = 50;
/** Responses with an unknown outcome, which the client must retry (a restart breaks connections). */
const REPEATED = new Set([429, 500, 502, 503, 504]);
const ANSWERED_WITHIN_MS = 90_000;
const AGAIN_MS = 200;

let sandbox: Sandbox;
let contact: string;
let number: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  const { demo } = sandbox.ready();
  contact = demo.contact?.phone ?? "";
  number = demo.connection.phone ?? "";
  await phones(sandbox.ready()).call("PATCH", `/phones/${contact}`, { reply: null });
  // The first message takes more than one round trip; later sends are one stanza.
  expect((await customer(sandbox.ready()).text(contact, "first contact")).status).toBe(200);
});
afterAll(async () => {
  await sandbox.dispose();
});

/** A client that keeps retrying. */
async function answered(text: string): Promise<Reply> {
  const deadline = performance.now() + ANSWERED_WITHIN_MS;
  for (;;) {
    const reply = await customer(sandbox.ready())
      .text(contact, text, { "idempotency-key": text.replaceAll(" ", "-") })
      .catch(() => null);
    if (reply !== null && !REPEATED.has(reply.status)) return reply;
    if (performance.now() > deadline) throw new Error(`never answered: ${text} (${reply?.status})`);
    await pause(AGAIN_MS);
  }
}

const duplicates = (text: string): Promise<Reply>[] => Array.from({ length: DUPLICATES }, () => answered(text));
const isReplayed = ({ headers }: Reply): boolean => headers.get("idempotent-replayed") === "true";

/** Messages received by the contact, excluding the echo that a restarted sandbox makes him send again. */
async function copies(text: string): Promise<Record<string, any>[]> {
  return (await phones(sandbox.ready()).inbox(contact)).filter((message) => message["text"] === text && message["from_me"] === false);
}

/** Checks that all responses agree with each other and with what the phone received. */
async function agree(text: string, answers: readonly Reply[]): Promise<Reply> {
  const [first] = answers;
  if (first === undefined) throw new Error("there are no answers");
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  const seen = await copies(text);
  expect(seen.length, `copies at the phone, answered ${first.status}`).toBeLessThanOrEqual(1);
  expect(seen.filter((message) => Number(message["duplicates"] ?? 0) > 0)).toEqual([]);
  const said = first.status === 200 ? [200, first.body.message_id] : [first.status, first.body.error.codigo];
  expect([
    [200, seen[0]?.["message_id"]],
    [424, "resultado_incerto"],
  ]).toContainEqual(said);
  return first;
}

describe("fifty calls with one Idempotency-Key at once", () => {
  it("send one message, and all get the same response", async () => {
    const text = `fifty at once ${crypto.randomUUID()}`;
    const answers = await Promise.all(duplicates(text));
    expect((await agree(text, answers)).status).toBe(200);
    expect(answers.filter(isReplayed)).toHaveLength(DUPLICATES - 1);
  });
});

/** Faults that keep a message in flight, so that nobody has a response yet. `arrives`: the message still reaches the phone. */
const MID_SEND = {
  "was relayed and not acknowledged": { kind: "swallow_send", arrives: true },
  "was lost on its way": { kind: "lose_send", arrives: false },
  "lies unread at the network": { kind: "delay", ms: 5_000, times: 1, arrives: false },
} as const;

describe.each(["bridge", "worker"] as const)("the %s killed mid-send", (part) => {
  it.each(Object.entries(MID_SEND))(
    "sends a message that %s at most once, and always gives the same answer",
    async (what, { arrives, ...fault }) => {
      const text = `${part} killed: ${what} ${crypto.randomUUID()}`;
      const network = phones(sandbox.ready());
      expect((await network.call("POST", "/faults", { phone: number, ...fault })).status).toBe(200);
      const calls = duplicates(text);
      await eventually("the fault has struck", 60_000, async () => (await network.call("GET", "/faults")).body.data.length === 0);
      if (arrives) await eventually("the message is at the phone", 60_000, async () => (await copies(text)).length === 1);
      const pid = sandbox.ready().processes[part];
      process.kill(pid, "SIGKILL");
      const answers = await Promise.all(calls);
      const first = await agree(text, answers);
      // At most one is original; the original may have died with the worker.
      expect(answers.filter((answer) => !isReplayed(answer)).length).toBeLessThanOrEqual(1);
      process.stdout.write(`${text}: ${first.status}, ${(await copies(text)).length} at the phone\n`);

      await eventually(`the ${part} was started again`, 60_000, () => sandbox.ready().processes[part] !== pid);
      await sandbox.stop();
      await sandbox.start();
      const later = await Promise.all(duplicates(text));
      expect(later.filter(isReplayed)).toHaveLength(DUPLICATES);
      const last = await agree(text, later);
      expect([last.status, last.body]).toEqual([first.status, first.body]);
    },
  );
});
