// What a connection's object writes to the directory in D1.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { DirectoryUpdater } from "../../../durable-objects/connection/directory-updater.ts";
import { initialState } from "../../../src/domain/instance/state.ts";
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
    updater.update(connected, 1, null, Date.now());
    await Promise.resolve();
    exec.mockRestore();
    updater.update(connected, 1, null, Date.now());
    await Promise.resolve();
    return states;
  });
  expect(written).toMatchObject([{ status: "connected" }]);
});
