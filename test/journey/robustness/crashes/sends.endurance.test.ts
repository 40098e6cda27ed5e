import { afterEach, beforeEach, expect, it } from "vitest";
import { Receiver } from "#root/test/support/receiver.ts";
import { promised, type Sandbox, startSandbox } from "#root/test/support/sandbox.ts";
import { loseNothing } from "../load/lose-nothing.ts";
import type { Kills } from "../load/repeated-sends.ts";

const SENDS = 600;
/** Kills a process with SIGKILL after this many sends, so that on any machine the restarted process works before the next kill. */
const KILLS: Kills = new Map([
  [60, "bridge"],
  [120, "worker"],
  [180, "bridge"],
  [260, "bridge"],
  [320, "worker"],
  [380, "bridge"],
  [460, "bridge"],
  [520, "worker"],
]);

let sandbox: Sandbox;
let receiver: Receiver;
beforeEach(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(), Receiver.start()]);
});
afterEach(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

it("eight kills under load lose nothing and duplicate nothing", { timeout: 2_400_000 }, async () => {
  const acknowledged = await loseNothing(sandbox, receiver, SENDS, KILLS);
  // On a slow machine more sends are in flight at each kill and end as uncertain.
  const slowness = promised(1, sandbox);
  expect(acknowledged, "most sends succeed in spite of it all").toBeGreaterThan((SENDS * 0.8) / slowness);
});
