// A stopped gateway and one that runs, which is played by a server here: refusals come before a connection leaves either.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { linesOf, toParts } from "@gateway/domain/moving/object-database.ts";
import { restore } from "#root/server/backup/restore.ts";
import { type DataFolder, openDataFolder } from "#root/server/data-folder.ts";
import { rowToMove } from "#root/server/move/export.ts";
import { RemoteGateway } from "#root/server/move/remote-gateway.ts";
import { fetchConnection } from "#root/server/move/fetch.ts";
import { sendConnection } from "#root/server/move/send.ts";
import { inDatabase, findStored } from "#root/server/move/stored.ts";
import { undoDeparture } from "#root/server/move/undo.ts";

const FIXTURE = fileURLToPath(new URL("../../journey/one-machine/format-1.tar.gz", import.meta.url));
const OWNER = "admin@gateway.local";
const NOW = Date.parse("2026-12-01T00:00:00Z");

type Answer = { status?: number; body?: unknown; bytes?: Uint8Array };

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
  uuid = inDatabase(findStored(folder.storage, "").d1, (d1) => String(d1.prepare("SELECT uuid FROM connection").get()?.["uuid"]));
  answers = {};
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const word = (request.url ?? "").split("/").at(-1) ?? "";
    const text = Buffer.concat(chunks).toString();
    const { status = 200, body = {}, bytes } = answers[word]?.(request.method === "POST" ? JSON.parse(text) : {}) ?? {};
    response.writeHead(status, { "content-type": "application/json" }).end(bytes ?? JSON.stringify(body));
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
const bring = (connection: string, owner: string | null) => fetchConnection(folder, remote, { connection, owner }, NOW);
const undo = () => undoDeparture(folder, () => remote, uuid, NOW);
const rowsHere = () =>
  inDatabase(findStored(folder.storage, uuid).object, (object) => ({
    credentials: Number(object.prepare("SELECT count(*) AS rows FROM state_row").get()?.["rows"]),
    status: object.prepare("SELECT state ->> '$.status' AS status FROM instance").get()?.["status"],
    waiting: object
      .prepare("SELECT delivery.id, hex(sealed) AS secret FROM delivery JOIN secret USING (queue_id) WHERE queue_id = 90")
      .all(),
    proxy: object.prepare("SELECT proxy FROM identity").get()?.["proxy"],
  }));
const nameHere = () =>
  inDatabase(findStored(folder.storage, uuid).d1, (d1) =>
    d1.prepare("SELECT name, pending_revision IS NOT NULL AS pending FROM connection").get(),
  );

it("a leaving connection reports its size and tables first, and stays if they are refused", async () => {
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

it("a connection that has not arrived comes back with its session, its proxy and its name", async () => {
  inDatabase(findStored(folder.storage, uuid).object, (object) => {
    object.exec("UPDATE identity SET proxy = x'0102'");
    object.exec(`INSERT INTO endpoint (queue_id, style, id, url, events, headers, retries, timeout_ms, active, created_at)
      VALUES (90, 'account', 'hook', 'https://example.com', '[]', '{}', 1, 1, 1, 1);
      INSERT INTO secret (queue_id, sealed, created_at) VALUES (90, x'01', 1);
      INSERT INTO delivery (seq, id, queue_id, body, size, type, created_at, state) VALUES (90000, 'waits', 90, 1, 1, 'x', 1, 0)`);
  });
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
  const rename = (from: string, to: string) =>
    inDatabase(findStored(folder.storage, uuid).object, (object) => object.exec(`ALTER TABLE ${from} RENAME TO ${to}`));
  rename("body", "body_elsewhere");
  await expect(undo(), "it cannot be completed").rejects.toThrow("no such table: body");
  expect(readdirSync(join(folder.path, "moves", uuid)).filter((name) => name.startsWith("returning"))).toEqual([]);
  rename("body_elsewhere", "body");
  expect(await undo()).toBe(uuid);
  expect(cancelled).toEqual([
    { id: moves[0], moves },
    { id: moves[0], moves },
    { id: moves[0], moves },
  ]);
  expect(rowsHere()).toEqual(before);
  expect(nameHere()).toEqual({ name: "Shop", pending: 1 });
  expect(existsSync(join(folder.path, "moves", uuid))).toBe(false);
});

/** The other gateway has the connection, and hands it over to nobody. */
function foundThere(found: { uuid: string; schema?: Record<string, number>; moves?: string[] }): () => number {
  const { uuid: there, schema = {}, moves = [] } = found;
  let departures = 0;
  const departing = { bytes: 1, schema, moves };
  answers["migrations"] = () => ({ body: [] });
  for (const word of [there, "1"]) answers[word] = () => ({ body: { uuid: there, name: "Padaria", away: null, departing } });
  answers["departure"] = () => {
    departures++;
    return { status: 409, body: { problem: "no" } };
  };
  return () => departures;
}

it("a connection is fetched by its UUID only, because its id may be another's here", async () => {
  const there = "0193c5d2-0000-4000-8000-000000000001";
  const departures = foundThere({ uuid: there });
  await expect(bring("1", OWNER)).rejects.toThrow(
    `1 is "Padaria" there, which may be another connection than 1 here; if you mean it, name it by its UUID: ${there}`,
  );
  expect(departures()).toBe(0);
  await expect(bring(there, OWNER)).rejects.toThrow("no");
  expect(departures()).toBe(1);
});

it("a fetch is refused before the connection leaves the other gateway", async () => {
  const account = (most: number) =>
    inDatabase(findStored(folder.storage, uuid).d1, (d1) => d1.exec(`UPDATE subscription SET max_instances = ${most}`));
  const there = "0193c5d2-0000-4000-8000-000000000001";
  let departures = foundThere({ uuid: there, schema: { session: 99 } });
  await expect(bring(there, OWNER)).rejects.toThrow("the connection is from a newer release");
  expect(departures()).toBe(0);
  departures = foundThere({ uuid: there });
  await expect(bring(there, null)).rejects.toThrow("name its account with --owner EMAIL");
  account(1);
  await expect(bring(there, OWNER)).rejects.toThrow("may have 1 connections and has 1");
  expect(departures()).toBe(0);
  departures = foundThere({ uuid });
  await expect(bring(uuid, null)).rejects.toThrow("this machine already has the connection");
  expect(departures()).toBe(0);
});

it("a returning connection's own row does not count against the limit of connections", async () => {
  inDatabase(findStored(folder.storage, uuid).d1, (d1) => d1.exec("UPDATE subscription SET max_instances = 1"));
  answers["arrival"] = ({ parts }) => ({ body: parts === 0 ? { isFree: true } : { isFree: false, merged: null, keysWork: true } });
  expect(await send()).toEqual({ uuid, keysWork: true, secretFile: null });
  const departures = foundThere({ uuid });
  await expect(bring(uuid, OWNER), "a copy from before it left").rejects.toThrow("older than the connection's last move from here");
  expect(departures()).toBe(0);
  const { moves } = rowToMove(folder.storage, uuid).departing;
  foundThere({ uuid, moves: [...moves] });
  await expect(bring(uuid, OWNER)).rejects.toThrow(": no");
});

it("a returning connection stores no second copy of its files", async () => {
  const { media, blobs, object } = findStored(folder.storage, uuid);
  const listed = () => inDatabase(media, (database) => database.prepare("SELECT key, blob_id FROM _mf_objects").all());
  const before = { rows: listed(), files: readdirSync(blobs) };
  answers["arrival"] = ({ parts }) => ({ body: parts === 0 ? { isFree: true } : { isFree: false, merged: null, keysWork: true } });
  await send();
  const movingCopy = new DatabaseSync(join(folder.path, "moves", uuid, "object.sqlite"), { readOnly: true });
  const parts = [...toParts(linesOf(movingCopy))];
  movingCopy.close();
  const { moves } = rowToMove(folder.storage, uuid).departing;
  foundThere({ uuid, moves: [...moves] });
  for (const [number, bytes] of parts.entries()) answers[String(number)] = () => ({ bytes });
  const token = String(before.rows[0]?.["key"]).split("/").at(-1) ?? "";
  const { KEY_SECRET: key_secret } = folder.secrets();
  const departed = { id: randomUUID(), uuid, connection: { name: "Shop" }, parts: parts.length, keys: [], key_secret, media: [token] };
  answers["departure"] = () => ({ body: departed });
  expect(await bring(uuid, null)).toEqual({ uuid, keysWork: true });
  expect({ rows: listed(), files: readdirSync(blobs) }).toEqual(before);
  expect(existsSync(object)).toBe(true);
  expect(rowsHere().credentials).toBeGreaterThan(0);
});
