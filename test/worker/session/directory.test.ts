// What a connection's object writes to the directory in D1.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { DirectoryUpdater } from "../../../durable-objects/connection/directory-updater.ts";
import { initialState, type InstanceState } from "../../../src/domain/instance/state.ts";
import type { DirectoryState } from "../../../src/services/connections/directory-state.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

it("learns of a change again once there is room on the disk", async () => {
  const connection = await TestConnection.create();
  const written = await runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
    const states: DirectoryState[] = [];
    const updater = new DirectoryUpdater(sql, async (state) => void states.push(state));
    const connected = { ...initialState(0), status: "connected" as const };
    const exec = vi.spyOn(sql, "exec").mockImplementation(() => {
      throw new Error("database or disk is full: SQLITE_FULL");
    });
    exec.mockImplementationOnce(() => ({ toArray: () => [] }) as never);
    updater.update(connected, null, 1, null, Date.now());
    await Promise.resolve();
    exec.mockRestore();
    updater.update(connected, null, 1, null, Date.now());
    await Promise.resolve();
    return states;
  });
  expect(written).toMatchObject([{ status: "connected" }]);
});

it("learns which bridge has the session, and why an instance has its status, by the writes of its status", async () => {
  const connection = await TestConnection.create();
  const states = await runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
    const written: DirectoryState[] = [];
    const updater = new DirectoryUpdater(sql, async (state) => void written.push(state));
    const say = async (change: Partial<InstanceState>, bridge: string | null) => {
      updater.update({ ...initialState(0), ...change }, bridge, 1, null, Date.now());
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    };
    const attached = { phase: "attached" } as const;
    await say({ status: "connecting", reason: "starting", lease: { phase: "placing", since: 0 } }, null);
    await say({ status: "connecting", reason: "starting", lease: attached }, "one");
    await say({ status: "connected", reason: "ok", lease: attached }, "one");
    await say({ status: "connected", reason: "restricted", lease: attached }, "one");
    // Its socket is away for a moment.
    await say({ status: "connected", reason: "restricted", lease: { phase: "detached", since: 0 } }, "one");
    await say({ status: "connecting", reason: "moving", lease: { phase: "placing", since: 0 } }, "one");
    await say({ status: "connecting", reason: "moving", lease: attached }, "two");
    await say({ status: "connected", reason: "ok", lease: attached }, "two");
    await say({ status: "connecting", reason: "moving", lease: { phase: "placing", since: 0 } }, "two");
    await say({ status: "connecting", reason: "moving", lease: { phase: "queued", since: 0 } }, "two");
    await say({ status: "connecting", reason: "moving", lease: attached }, "one");
    await say({ status: "connecting", reason: "reconnecting", lease: attached }, "one");
    await say({ status: "disconnected", reason: "manual", lease: { phase: "none" } }, "one");
    return written.map(({ status, reason, bridgeId }) => [status, reason, bridgeId]);
  });
  expect(states).toEqual([
    ["connecting", "starting", null],
    ["connected", "ok", "one"],
    ["connected", "restricted", "one"],
    ["connecting", "moving", "one"],
    ["connected", "ok", "two"],
    ["connecting", "moving", "two"],
    ["connecting", "moving", null],
    ["connecting", "reconnecting", "one"],
    ["disconnected", "manual", null],
  ]);
});
