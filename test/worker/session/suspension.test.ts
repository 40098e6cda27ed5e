// The numbers of an account that is suspended.
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import { setSuspended } from "../../../src/services/users/suspend.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { codeOf, holder } from "../support/accounts.ts";
import { gateway } from "../support/gateway.ts";

const ask = gateway();
const bindings = env as Env;
afterEach(allEnded);

it("disconnects the numbers of the account, which nobody connects while it lasts; whom they are shared with may read", async () => {
  const [owner, guest] = [await holder(), await holder()];
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  await ask(`/api/dashboard/connections/${connection.record.id}/shares`, {
    method: "POST",
    headers: owner.who.headers,
    body: JSON.stringify({ email: guest.who.user.email, role: "operator" }),
  });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  await (await bridge.open(connection.uuid)).commit([event.open()]);
  await setSuspended(bindings, owner.who.user.id, true);
  expect(await connection.status()).toBe("disconnected/account_suspended");
  expect(codeOf(await guest.call("POST", `/instances/${connection.uuid}/connect`))).toEqual([403, "account_suspended"]);
  expect((await guest.call("GET", `/instances/${connection.uuid}`)).status).toBe(200);
  await setSuspended(bindings, owner.who.user.id, false);
  expect(await connection.status()).toBe("disconnected/account_suspended");
  expect((await guest.call("POST", `/instances/${connection.uuid}/connect`)).status).toBeLessThan(300);
});
