// Event streams end when access is revoked. The endurance tier tries every revocation.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { bestOfThree } from "../../support/promised-times.ts";
import { allEnded } from "../fakes/connection.ts";
import { keyOf } from "../support/accounts.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";
import { describeRevocations, pathOf, revocationWorld } from "./revocations.ts";

const ask = gateway();
/** Maximum time after the key's expiry. */
const ENDS_IN_MS = 3_500;
/** Life of a key when its stream opens. */
const LEFT_MS = 1_000;

afterEach(async () => {
  vi.useRealTimers();
  await allLeft();
  await allEnded();
});

describeRevocations(["a key is removed", "a share is removed", "the owner's account is suspended", "a password is changed"]);

describe("a stream", () => {
  it("ends when its key expires", async () => {
    const { owner, connection } = await revocationWorld();
    await bestOfThree("the stream ended after its key", ENDS_IN_MS, async () => {
      // The clock stands still until the stream is open, so that the key is still valid then.
      vi.useFakeTimers({ toFake: ["Date"] });
      const { key } = await keyOf({ user: owner.user } as Parameters<typeof keyOf>[0], { expiresAt: Date.now() + LEFT_MS });
      const opening = performance.now();
      const stream = await EventStream.from(await ask(pathOf(connection), { headers: { "x-api-key": key } }));
      vi.useRealTimers();
      while ((await stream.next()) !== null);
      return performance.now() - opening - LEFT_MS;
    });
  });

  it("does not begin when its key is removed while it opens", async () => {
    const { owner, connection } = await revocationWorld();
    const namespace: Pick<Env["CONNECTION"], "getByName"> = {
      getByName: (uuid) => {
        const stub = env.CONNECTION.getByName(uuid);
        return {
          perform: (...call: Parameters<typeof stub.perform>) => stub.perform(...call),
          fetch: async (request: Request) => {
            await env.DB.prepare("DELETE FROM account_key WHERE id = ?").bind(owner.key.id).run();
            return stub.fetch(request);
          },
        } as unknown as ReturnType<Env["CONNECTION"]["getByName"]>;
      },
    };
    const answer = await gateway({ CONNECTION: namespace as Env["CONNECTION"] })(pathOf(connection), {
      headers: { "x-api-key": owner.key.key },
    });
    expect(answer.status).toBe(401);
  });

  it("leaves no socket at the account's guard when its reader has gone", async () => {
    const { owner, connection } = await revocationWorld();
    const stream = await EventStream.from(await ask(pathOf(connection), { headers: { "x-api-key": owner.key.key } }));
    const sockets = () => runInDurableObject(env.ACCOUNT_GUARD.getByName(owner.user.id), (_object, ctx) => ctx.getWebSockets().length);
    expect(await sockets()).toBe(1);
    await stream.leave();
    await vi.waitFor(async () => expect(await sockets()).toBe(0));
  });
});
