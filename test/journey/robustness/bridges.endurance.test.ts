import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { startExtraBridge } from "../../support/bridge/extra-bridge.ts";
import { promised, type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { expectAtMost } from "../../support/promised-times.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.dispose());

/** Number of sessions reported by a sandbox's bridge. */
async function sessionsOf(pid: number): Promise<number> {
  const [, port] = /BRIDGE_HEALTH_PORT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, "utf8")) ?? [];
  return ((await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as { sessions: number }).sessions;
}

describe("two bridges", () => {
  it("move the sessions of a dead one to the other, without pairing again", async () => {
    const { demo } = sandbox.ready();
    const other = await startExtraBridge(sandbox);
    try {
      // Killing the sandbox's own bridge faster than it is restarted stops it for good.
      const stopped = performance.now();
      const own = sandbox.ready().processes.bridge;
      process.kill(own, "SIGSTOP");
      await eventually("the other bridge holds the session", 60_000, async () => (await other.sessions()) === 1);
      const sent = await eventually("a send succeeds", 60_000, async () => {
        const reply = await customer(sandbox.ready()).text(demo.contact!.phone, "after the move");
        return reply.status === 200 && reply;
      });
      expect(sent.body.message_id).toBeTypeOf("string");
      expectAtMost("a session on another bridge, and a send through it", performance.now() - stopped, promised(20_000, sandbox));
      process.kill(own, "SIGKILL");
    } finally {
      await other.stop();
    }
    const back = await eventually("the first bridge takes it back", 60_000, async () => {
      const reply = await customer(sandbox.ready()).text(demo.contact!.phone, "and back");
      return reply.status === 200 && reply;
    });
    expect(back.status).toBe(200);
  });

  it("agree when a paused one resumes: the session stays where it moved, and nothing is lost or duplicated", async () => {
    const ready = sandbox.ready();
    const { phone } = ready.demo.connection;
    const contact = ready.demo.contact!.phone;
    const other = await startExtraBridge(sandbox);
    const own = ready.processes.bridge;
    const attempt = crypto.randomUUID();
    const textsOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n} ${attempt}`);
    const [paused, steady] = [textsOf("paused", 5), textsOf("steady", 10)];
    const asked = `asked of a paused bridge ${attempt}`;
    await phones(ready).call("PATCH", `/phones/${contact}`, { reply: null });
    try {
      process.kill(own, "SIGSTOP");
      // The paused bridge's network connection is still open, so these are in flight to it.
      for (const text of paused) await phones(ready).send(contact, { to: phone, text });
      const early = customer(ready).text(contact, asked);
      await eventually("the other bridge holds the session", 60_000, async () => (await other.sessions()) === 1);
      process.kill(own, "SIGCONT");
      await eventually("the first has let go", 60_000, async () => (await sessionsOf(own)) === 0);
      const sent = await eventually("a send succeeds", 60_000, async () => {
        const reply = await customer(ready).text(contact, "after the pause");
        return reply.status === 200 && reply;
      });
      for (const text of steady) expect((await customer(ready).text(contact, text)).status).toBe(200);
      expect((await customer(ready).get("/instance")).body.data).toMatchObject({ status: "connected", status_reason: "ok" });
      expect([await sessionsOf(own), await other.sessions()]).toEqual([0, 1]);

      // Awaits the response before reading the inbox, so that the inbox already has any message that the response is about.
      const { status } = await early;
      const inbox = await phones(ready).inbox(contact);
      const times = (text: string) => inbox.filter((record) => record["text"] === text && record["from_me"] === false).length;
      expect(steady.map(times)).toEqual(steady.map(() => 1));
      expect(inbox.find(({ message_id }) => message_id === sent.body.message_id)).toMatchObject({ duplicates: 0 });
      expect([200, 424, 503], `the early send answered ${status}`).toContain(status);
      const arrivals = times(asked);
      expect(status === 200 ? [1] : [0, 1], `answered ${status}, arrived ${arrivals} times`).toContain(arrivals);
      await eventually("what came in during the pause", 60_000, async () => {
        const { body } = await customer(ready).get(`/chats/${contact}@c.us/messages?limit=100`);
        const texts = new Set((body.data as { text: string }[]).map(({ text }) => text));
        return paused.every((text) => texts.has(text));
      });
    } finally {
      process.kill(own, "SIGCONT");
      await other.stop();
    }
  });
});
