// Directory rows that a connection's object writes to D1.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { DirectoryUpdater } from "#root/durable-objects/connection/directory/directory-updater.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { initialState, type InstanceState } from "@gateway/domain/instance/state.ts";
import type { DirectoryState } from "#root/src/services/connections/directory-state.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

it("the directory gets a missed change once there is room on the disk", async () => {
  const connection = await TestConnection.create();
  const written = await runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
    const states: DirectoryState[] = [];
    const times = new StoredTimes(sql);
    times.get("directory");
    const updater = new DirectoryUpdater(sql, times, async (state) => void states.push(state));
    const connected = { ...initialState(0), status: "connected" as const };
    const exec = vi.spyOn(sql, "exec").mockImplementation(() => {
      throw new Error("database or disk is full: SQLITE_FULL");
    });
    exec.mockImplementationOnce(() => ({ toArray: () => [] }) as never);
    updater.update(connected, null, 1, Date.now());
    await Promise.resolve();
    exec.mockRestore();
    updater.update(connected, null, 1, Date.now());
    await Promise.resolve();
    return states;
  });
  expect(written).toMatchObject([{ status: "connected" }]);
});

const SECOND = 1_000;
const attached = { phase: "attached" } as const;
const placing = { phase: "placing", since: 0 } as const;

/** Directory writes caused by these state changes, each at its second. */
async function told(changes: readonly [at: number, change: Partial<InstanceState>, bridge: string | null][], until: number) {
  const connection = await TestConnection.create();
  return runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
    const written: [number, string, string, string | null][] = [];
    let second = 0;
    const write = async ({ status, reason, bridgeId }: DirectoryState) => void written.push([second, status, reason, bridgeId]);
    sql.exec("DELETE FROM noted");
    let updater = new DirectoryUpdater(sql, new StoredTimes(sql), write);
    let [state, bridge]: [InstanceState, string | null] = [initialState(0), null];
    for (second = 0; second <= until; second += 1) {
      for (const [at, change, on] of changes.filter(([at]) => at === second)) {
        const isOther = (change.status ?? state.status) !== state.status || (change.reason ?? state.reason) !== state.reason;
        state = { ...state, ...change, ...(isOther && { changedAt: at * SECOND }) };
        bridge = on;
        updater.update(state, bridge, 1, at * SECOND);
      }
      updater.run(second * SECOND);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      // Mimics an eviction whenever the object is idle.
      updater = new DirectoryUpdater(sql, new StoredTimes(sql), write);
      updater.update(state, bridge, 1, second * SECOND);
    }
    return written;
  });
}

const started: [number, Partial<InstanceState>, string | null][] = [
  [1, { status: "connecting", reason: "starting", lease: placing }, null],
  [2, { lease: attached }, "one"],
  [3, { status: "connected", reason: "ok" }, "one"],
];
const UP = [
  [0, "disconnected", "created", null],
  [1, "connecting", "starting", null],
  [3, "connected", "ok", "one"],
];

it("the directory learns at once that a number is being connected, is connected or was ended", async () => {
  const ended: typeof started = [[200, { status: "disconnected", reason: "manual", lease: { phase: "none" } }, "one"]];
  expect(await told([...started, ...ended], 300)).toEqual([...UP, [200, "disconnected", "manual", null]]);
  const lost: typeof started = [[200, { status: "failed", reason: "banned", lease: { phase: "none" } }, "one"]];
  expect(await told([...started, ...lost], 300)).toEqual([...UP, [200, "failed", "banned", null]]);
  const scanned: typeof started = [[200, { status: "scan_qr", reason: "waiting_scan" }, "one"]];
  expect(await told([...started, ...scanned], 300)).toEqual([...UP, [200, "scan_qr", "waiting_scan", "one"]]);
});

it("the directory never learns of a drop that ends within 30 s", async () => {
  const drops: typeof started = [100, 140, 200].flatMap((at) => [
    [at, { status: "connecting", reason: "reconnecting" }, "one"],
    [at + 29, { status: "connected", reason: "ok" }, "one"],
  ]);
  expect(await told([...started, ...drops], 400)).toEqual(UP);
  // A bridge whose socket is briefly disconnected is not reported either.
  const away: typeof started = [
    [100, { lease: { phase: "detached", since: 0 } }, "one"],
    [120, { lease: attached }, "one"],
  ];
  expect(await told([...started, ...away], 400)).toEqual(UP);
});

it("the directory learns of a drop that lasts, and of its end once that has lasted", async () => {
  const drop: typeof started = [
    [100, { status: "connecting", reason: "reconnecting" }, "one"],
    [200, { status: "connected", reason: "ok" }, "one"],
  ];
  expect(await told([...started, ...drop], 300)).toEqual([
    ...UP,
    [130, "connecting", "reconnecting", "one"],
    [230, "connected", "ok", "one"],
  ]);
});

it("the directory learns of a move by one write at its end, or that no bridge was found for it", async () => {
  const moving: typeof started = [[100, { status: "connecting", reason: "moving", lease: placing }, "one"]];
  const moved: typeof started = [
    [102, { lease: attached }, "two"],
    [103, { status: "connected", reason: "ok" }, "two"],
  ];
  expect(await told([...started, ...moving, ...moved], 300)).toEqual([...UP, [103, "connected", "ok", "two"]]);
  const queued: typeof started = [[101, { lease: { phase: "queued", since: 0 } }, "one"]];
  expect(await told([...started, ...moving, ...queued], 300)).toEqual([...UP, [130, "connecting", "moving", null]]);
});

it("the directory is told again a minute after it could not be reached", async () => {
  const connection = await TestConnection.create();
  const tries = await runInDurableObject(connection.stub, async (_object, { storage: { sql } }) => {
    sql.exec("DELETE FROM noted");
    const seen: number[] = [];
    let now = 0;
    const updater = new DirectoryUpdater(sql, new StoredTimes(sql), async () => {
      seen.push(now);
      if (seen.length < 3) throw new Error("D1 is away");
    });
    for (; now <= 300_000; now += SECOND) {
      // Called after each event.
      updater.update({ ...initialState(0), status: "connected", reason: "ok" }, null, 1, now);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
    return seen;
  });
  expect(tries).toEqual([0, 60_000, 120_000]);
});
