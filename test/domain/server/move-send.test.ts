// A connection leaves a stopped gateway for one that runs, which refuses it or does not answer. Its entrance is played by a server here.
import { spawnSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { restore } from "#root/server/backup/restore.ts";
import { type DataFolder, openDataFolder } from "#root/server/data-folder.ts";
import { rowToMove } from "#root/server/move/export.ts";
import { RemoteGateway } from "#root/server/move/remote-gateway.ts";
import { sendConnection } from "#root/server/move/send.ts";
import { inDatabase, storedOf } from "#root/server/move/stored.ts";
import { undoDeparture } from "#root/server/move/undo.ts";

const FIXTURE = fileURLToPath(new URL("../../journey/one-machine/format-1.tar.gz", import.meta.url));
const NOW = Date.parse("2026-12-01T00:00:00Z");

type Answer = { status?: number; body?: unknown };

let parent: string;
let folder: DataFolder;
let uuid: string;
let server: Server;
let remote: RemoteGateway;
/** Of the other gateway, by the last word of the path. */
let answers: Record<string, (body: Record<string, unknown>) => Answer>;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), "move-"));
  spawnSync("tar", ["--extract", "--gzip", "--file", FIXTURE, "--directory", parent]);
  const backup = join(parent, readdirSync(parent).find((name) => name.startsWith("gateway-")) ?? "");
  expect(await restore(backup, join(parent, "home"), false, new Date(NOW))).toMatchObject({ ok: true });
  const opened = openDataFolder(join(parent, "home"));
  if (!opened.ok) throw new Error(opened.problem);
  ({ folder } = opened);
  uuid = inDatabase(storedOf(folder.storage, "").d1, (d1) => String(d1.prepare("SELECT uuid FROM connection").get()?.["uuid"]));
  answers = {};
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const word = (request.url ?? "").split("/").at(-1) ?? "";
    const text = Buffer.concat(chunks).toString();
    const { status = 200, body = {} } = answers[word]?.(request.method === "POST" ? JSON.parse(text) : {}) ?? {};
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  remote = new RemoteGateway(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "a secret of two gateways, long enough");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(parent, { recursive: true });
});

const send = () => sendConnection(folder, remote, { connection: uuid, owner: null }, NOW);
const undo = () => undoDeparture(folder, () => remote, uuid, NOW);
const rowsHere = () =>
  inDatabase(storedOf(folder.storage, uuid).object, (object) => ({
    credentials: Number(object.prepare("SELECT count(*) AS rows FROM state_row").get()?.["rows"]),
    status: object.prepare("SELECT state ->> '$.status' AS status FROM instance").get()?.["status"],
    proxy: object.prepare("SELECT proxy FROM identity").get()?.["proxy"],
  }));
const nameHere = () =>
  inDatabase(storedOf(folder.storage, uuid).d1, (d1) =>
    d1.prepare("SELECT name, pending_revision IS NOT NULL AS pending FROM connection").get(),
  );

it("tells its size and tables before it leaves, and stays if they are refused", async () => {
  const before = rowsHere();
  const asked: unknown[] = [];
  answers["arrival"] = (body) => {
    asked.push(body["departing"]);
    return { status: 409, body: { problem: "the connection has 900 MB" } };
  };
  await expect(send()).rejects.toThrow("the connection has 900 MB");
  expect(asked).toEqual([{ bytes: expect.any(Number), schema: expect.objectContaining({ session: expect.any(Number) }), moves: [] }]);
  expect(rowsHere()).toEqual(before);
  await expect(undo()).rejects.toThrow("has not left this machine");
});

it("comes back if it has not arrived, with its session, its proxy and its name", async () => {
  inDatabase(storedOf(folder.storage, uuid).object, (object) => object.exec("UPDATE identity SET proxy = x'0102'"));
  const before = rowsHere();
  let asks = 0;
  answers["arrival"] = ({ parts }) => {
    asks++;
    return parts === 0 ? { body: { isFree: true } } : { status: 500, body: { problem: "out of memory" } };
  };
  await expect(send()).rejects.toThrow("out of memory");
  expect(asks).toBe(3);
  expect(rowsHere()).toMatchObject({ credentials: 0, status: "disconnected" });
  expect(nameHere()).toMatchObject({ name: "Shop (moved)" });
  const { moves } = rowToMove(folder.storage, uuid).departing;
  const cancelled: unknown[] = [];
  answers["cancellation"] = (body) => {
    cancelled.push(body);
    return { body: { isCancelled: cancelled.length > 1 } };
  };
  await expect(undo(), "it has arrived").rejects.toThrow(`move it back with npm run import -- ${uuid} --from ${remote.url}`);
  expect(rowsHere()).toMatchObject({ credentials: 0 });
  expect(await undo()).toBe(uuid);
  expect(cancelled).toEqual([
    { id: moves[0], moves },
    { id: moves[0], moves },
  ]);
  expect(rowsHere()).toEqual(before);
  expect(nameHere()).toEqual({ name: "Shop", pending: 1 });
  expect(existsSync(join(folder.path, "moves", uuid))).toBe(false);
});
