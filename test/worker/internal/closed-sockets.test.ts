// A peer that closes its socket receives a close reply. Without the reply, its close stays pending until the object is evicted.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openProxySocket } from "#root/src/services/bridges/pools.ts";
import type { Env } from "#root/src/env.ts";
import { FakeBridge } from "../fakes/bridge.ts";
import { TestConnection } from "../fakes/connection.ts";
import { Frames } from "../fakes/frames.ts";

const ANSWERED = { code: 1000, reason: "" };

it("a bridge that closes its control socket is answered", async () => {
  const bridge = await FakeBridge.dial();
  bridge.leave();
  expect(await bridge.control.closed).toEqual(ANSWERED);
});

it("a bridge that closes a session's socket is answered", async () => {
  const bridge = await FakeBridge.dial();
  const connection = await TestConnection.create();
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  session.frames.socket.close(1000, "stopped");
  expect(await session.frames.closed).toEqual(ANSWERED);
  await connection.ask("instance.disconnect", {});
  bridge.leave();
});

it("a page that stops watching is answered", async () => {
  const proxies = await openProxySocket(env as Env);
  if (proxies === null) throw new Error("no socket");
  const frames = new Frames(proxies);
  proxies.close(1000);
  expect(await frames.closed).toEqual(ANSWERED);
});

it("the account's guard sends a close reply when the caller closes a stream", async () => {
  const guard = env.ACCOUNT_GUARD.getByName(crypto.randomUUID());
  const { webSocket } = await guard.fetch("https://guard/?credential=key", { headers: { upgrade: "websocket" } });
  if (webSocket === null) throw new Error("no socket");
  const frames = new Frames(webSocket);
  webSocket.close(1000);
  expect(await frames.closed).toEqual(ANSWERED);
});
