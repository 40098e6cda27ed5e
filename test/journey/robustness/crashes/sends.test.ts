import { afterAll, beforeAll, expect, it } from "vitest";
import { Receiver } from "#root/test/support/receiver.ts";
import { type Sandbox, startSandbox } from "#root/test/support/sandbox.ts";
import { loseNothing } from "../load/lose-nothing.ts";
import type { Kills } from "../load/repeated-sends.ts";

const SENDS = 60;
const KILLS: Kills = new Map([
  [15, "bridge"],
  [35, "worker"],
]);

let sandbox: Sandbox;
let receiver: Receiver;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(), Receiver.start()]);
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

it("a bridge and a worker killed under load lose nothing and duplicate nothing", async () => {
  expect(await loseNothing(sandbox, receiver, SENDS, KILLS)).toBeGreaterThan(0);
});
