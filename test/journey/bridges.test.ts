import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer } from "../support/clients.ts";
import { eventually } from "../support/eventually.ts";
import { startExtraBridge } from "../support/extra-bridge.ts";
import { type Sandbox, startSandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.dispose());

describe("two bridges", () => {
  it("move the sessions of a dead one to the other within 15 seconds, without pairing again", async () => {
    const { demo } = sandbox.ready();
    const other = await startExtraBridge(sandbox);
    try {
      // The sandbox's own bridge is stopped for good by killing it faster than it is started again.
      const stopped = performance.now();
      const own = sandbox.ready().processes.bridge;
      process.kill(own, "SIGSTOP");
      await eventually("the other bridge holds the session", 15_000, async () => (await other.sessions()) === 1);
      const sent = await eventually("a send succeeds", 15_000, async () => {
        const reply = await customer(sandbox.ready()).text(demo.contact!.phone, "after the move");
        return reply.status === 200 && reply;
      });
      expect(sent.body.message_id).toBeTypeOf("string");
      expect(performance.now() - stopped).toBeLessThan(20_000);
      process.kill(own, "SIGKILL");
    } finally {
      await other.stop();
    }
    const back = await eventually("the first bridge takes it back", 20_000, async () => {
      const reply = await customer(sandbox.ready()).text(demo.contact!.phone, "and back");
      return reply.status === 200 && reply;
    });
    expect(back.status).toBe(200);
  });
});
