// A connection moves between two data folders, with a kill after every step. A gateway has run in both.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { insertAll } from "@gateway/domain/moving/object-database.ts";
import { restore } from "#root/server/backup/restore.ts";
import { type DataFolder, openDataFolder, recordRelease } from "#root/server/data-folder.ts";
import { ownAddress } from "#root/server/move/address.ts";
import { exportConnection } from "#root/server/move/export.ts";
import { type Arrived, importConnection } from "#root/server/move/import.ts";
import { inDatabase, findStored } from "#root/server/move/stored.ts";

const FIXTURE = fileURLToPath(new URL("../../journey/one-machine/format-1.tar.gz", import.meta.url));
const NOW = Date.parse("2026-12-01T00:00:00Z");
const OWNER = "admin@gateway.local";

let parent: string;
let file: string;
let uuid: string;
let home: DataFolder;
let away: DataFolder;
let third: DataFolder;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), "move-"));
  file = join(parent, "shop.move");
  spawnSync("tar", ["--extract", "--gzip", "--file", FIXTURE, "--directory", parent]);
  const backup = join(parent, readdirSync(parent).find((name) => name.startsWith("gateway-")) ?? "");
  const restored = async (name: string): Promise<DataFolder> => {
    expect(await restore(backup, join(parent, name), false, new Date(NOW))).toMatchObject({ ok: true });
    const opened = openDataFolder(join(parent, name));
    if (!opened.ok) throw new Error(opened.problem);
    return opened.folder;
  };
  home = await restored("home");
  uuid = inDatabase(findStored(home.storage, "").d1, (d1) => String(d1.prepare("SELECT uuid FROM connection").get()?.["uuid"]));
  [away, third] = [emptied(await restored("away")), emptied(await restored("third"))];
});
afterEach(() => rmSync(parent, { recursive: true }));

/** As on a separate machine: the account has no connection there, and the secrets differ. */
function emptied(folder: DataFolder): DataFolder {
  const stored = findStored(folder.storage, uuid);
  rmSync(stored.object);
  rmSync(stored.blobs, { recursive: true });
  inDatabase(stored.d1, (d1) => d1.exec("DELETE FROM connection_state; DELETE FROM connection"));
  inDatabase(stored.media, (media) => media.exec("DELETE FROM _mf_objects"));
  rmSync(join(folder.path, "secrets.env"));
  rmSync(join(folder.path, "format"));
  const opened = openDataFolder(folder.path);
  if (!opened.ok) throw new Error(opened.problem);
  recordRelease(folder.path);
  // The number is random, and the first machine's is 1.
  const secrets = join(folder.path, "secrets.env");
  writeFileSync(secrets, readFileSync(secrets, "utf8").replace('KEY_SECRET="1:', 'KEY_SECRET="2:'));
  return opened.folder;
}

const leave = (from: DataFolder, to: DataFolder) => exportConnection(from, { connection: uuid, to: ownAddress(to.path), file }, NOW);
const arrive = (at: DataFolder, owner: string | null = OWNER) => importConnection(at, { file, owner }, NOW);

function finish<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs this many steps, and leaves the rest undone, as a kill does. */
function killedAfter(steps: Generator, count: number): void {
  for (let step = 0; step < count; step++) steps.next();
}

/** Two facts about the object on this machine: the number of its credentials, and whether it wants a session. */
function objectAt(folder: DataFolder) {
  const { object } = findStored(folder.storage, uuid);
  if (!existsSync(object)) return { credentials: 0, messages: 0, keys: 0, wants: false };
  const database = new DatabaseSync(object);
  const count = (table: string) => Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
  const { status } = JSON.parse(String(database.prepare("SELECT state FROM instance").get()?.["state"])) as { status: string };
  const found = { credentials: count("state_row"), messages: count("messages"), keys: count("api_key"), wants: status === "connecting" };
  database.close();
  return found;
}

const LEFT = { credentials: 0, messages: 0, keys: 1, wants: false };
const nameAt = ({ storage }: DataFolder) =>
  inDatabase(findStored(storage, uuid).d1, (d1) => d1.prepare("SELECT id, name, pending_revision AS pending FROM connection").get());

it("a moved connection has one owner after a kill behind every step, there and back", () => {
  const whole = objectAt(home);
  expect(whole).toMatchObject({ keys: 1, wants: true });
  expect(whole.credentials).toBeGreaterThan(100);
  for (const [from, to] of [
    [home, away],
    [away, home],
  ] as const) {
    for (const steps of [1, 2, 3]) {
      killedAfter(leave(from, to), steps);
      const hasLeft = steps > 1;
      expect(objectAt(from)).toEqual(hasLeft ? LEFT : whole);
      expect(existsSync(file), "the file exists only once the connection has left").toBe(steps > 2);
    }
    finish(leave(from, to));
    for (const steps of [1, 2, 3]) {
      killedAfter(arrive(to), steps);
      expect(objectAt(to).credentials).toBe(steps > 1 ? whole.credentials : 0);
      expect(objectAt(from)).toEqual(LEFT);
    }
    expect(finish(arrive(to))).toEqual({ uuid, keysWork: true } satisfies Arrived);
    expect(objectAt(to)).toEqual(whole);
    expect(nameAt(to)).toEqual({ id: 1, name: "Shop", pending: expect.any(Number) });
    expect(nameAt(from)).toMatchObject({ name: "Shop (moved)", pending: expect.any(Number) });
    rmSync(file);
  }
});

it("a move takes media and API key secrets along, and seals the object's keys for the new machine", () => {
  const [blob = ""] = readdirSync(findStored(home.storage, uuid).blobs);
  finish(leave(home, away));
  finish(arrive(away));
  const there = findStored(away.storage, uuid);
  expect(readFileSync(join(there.blobs, blob))).toEqual(readFileSync(join(findStored(home.storage, uuid).blobs, blob)));
  expect(inDatabase(there.media, (media) => media.prepare("SELECT blob_id FROM _mf_objects").all())).toMatchObject([{ blob_id: blob }]);
  expect(away.secrets().KEY_SECRET).toMatch(new RegExp(`^\\d+:\\S+ 1:${home.secrets().KEY_SECRET}$`));
  const keyRows = (folder: DataFolder) =>
    inDatabase(findStored(folder.storage, uuid).object, (object) =>
      object.prepare("SELECT name, hex(sealed) AS sealed FROM data_key").all(),
    );
  expect(keyRows(away).map(({ name }) => name)).toEqual(["state", "vault"]);
  expect(keyRows(away)).not.toEqual(keyRows(home));
  expect(readFileSync(file).includes("Bom dia"), "the move's file contains no readable text").toBe(false);
});

it("a move's file opens on the named machine only, and once per move", () => {
  finish(leave(home, away));
  expect(() => finish(arrive(third))).toThrow("was exported to another machine");
  expect(() => finish(leave(home, third))).toThrow("only that gateway can have it");
  const { d1 } = findStored(home.storage, uuid);
  inDatabase(d1, (database) => database.exec("UPDATE connection SET removed_at = 1"));
  expect(() => finish(leave(home, away))).toThrow("it was deleted here after it left, and");
  inDatabase(d1, (database) => database.exec("UPDATE connection SET removed_at = NULL"));
  finish(arrive(away));
  const first = join(parent, "first.move");
  cpSync(file, first);
  finish(leave(away, home));
  cpSync(file, join(parent, "back.move"));
  cpSync(first, file);
  expect(() => finish(arrive(away)), "an old file of a connection that has left again").toThrow("older than the connection's last move");
  cpSync(join(parent, "back.move"), file);
  finish(arrive(home, null));
  expect(objectAt(home).wants).toBe(true);
  expect(objectAt(away)).toEqual(LEFT);
});

it("a number that was paired here again keeps its session, and can move like any other", () => {
  finish(leave(home, away));
  inDatabase(findStored(home.storage, uuid).object, (object) => {
    object.exec("UPDATE instance SET state = json_set(state, '$.paired', json('true'))");
    object.exec("INSERT INTO state_row (key, value) VALUES ('creds', 'of the new device')");
  });
  finish(arrive(away));
  const again = () => exportConnection(home, { connection: uuid, to: ownAddress(third.path), file }, NOW);
  expect(() => finish(again()), "an export that would overwrite the earlier copy is refused").toThrow(
    "delete the folder if the connection works there",
  );
  rmSync(join(home.path, "moves", uuid), { recursive: true });
  finish(exportConnection(away, { connection: uuid, to: ownAddress(home.path), file }, NOW));
  expect(() => finish(arrive(home, null))).toThrow("this machine already has the connection");
  expect(objectAt(home).credentials).toBe(1);
  finish(again());
  finish(arrive(third));
  expect([objectAt(home).credentials, objectAt(third).credentials]).toEqual([0, 1]);
  finish(exportConnection(third, { connection: uuid, to: ownAddress(home.path), file }, NOW));
});

it("a move leaves the account's webhooks behind, with their deliveries, until the connection returns", () => {
  inDatabase(findStored(home.storage, uuid).object, (object) => {
    object.exec("DELETE FROM delivery; DELETE FROM body; DELETE FROM secret; DELETE FROM endpoint");
    const endpoint = object.prepare(
      `INSERT INTO endpoint (queue_id, style, id, url, events, headers, retries, timeout_ms, active, created_at)
       VALUES (?, ?, ?, 'https://example.com', '[]', '{}', 1, 1, 1, 1)`,
    );
    const delivery = object.prepare(
      "INSERT INTO delivery (seq, id, queue_id, body, size, type, created_at, state) VALUES (?, ?, ?, ?, 1, 'x', 1, ?)",
    );
    const body = object.prepare("INSERT INTO body (seq, copies, created_at, text) VALUES (?, ?, 1, ?)");
    endpoint.run(1, "account", "of-the-account");
    endpoint.run(2, "connection", "of-the-connection");
    object.exec("INSERT INTO secret (queue_id, sealed, created_at) VALUES (1, x'01', 1), (2, x'02', 1)");
    const [fresh, delivered] = [0, 3];
    body.run(1, 2, "for both");
    delivery.run(1, "a", 1, 1, fresh);
    delivery.run(2, "b", 2, 1, fresh);
    body.run(3, 1, "for the account");
    delivery.run(3, "c", 1, 3, fresh);
    body.run(4, 1, "sent to the account");
    delivery.run(4, "d", 1, 4, delivered);
  });
  const webhooksAt = (folder: DataFolder) =>
    inDatabase(findStored(folder.storage, uuid).object, (object) =>
      ["SELECT id FROM endpoint", "SELECT queue_id FROM secret", "SELECT id FROM delivery", "SELECT text FROM body"].map((sql) =>
        object
          .prepare(`${sql} ORDER BY 1`)
          .all()
          .map((row) => Object.values(row)[0]),
      ),
    );
  finish(leave(home, away));
  finish(arrive(away));
  expect(webhooksAt(home)).toEqual([["of-the-account"], [1], ["a", "c"], ["for both", "for the account"]]);
  expect(webhooksAt(away)).toEqual([["of-the-connection"], [2], ["b"], ["for both"]]);

  // The next numbers are taken at both gateways.
  for (const folder of [home, away])
    inDatabase(findStored(folder.storage, uuid).object, (object) => {
      object.exec(`INSERT INTO body (seq, copies, created_at, text) VALUES (5, 1, ${NOW + 1}, 'since then')`);
      object.exec(`INSERT INTO delivery (seq, id, queue_id, body, size, type, created_at, state)
        VALUES (5, '${folder.path}', ${folder === home ? 1 : 2}, 5, 1, 'x', ${NOW + 1}, 0)`);
    });
  inDatabase(findStored(home.storage, uuid).object, (object) => object.exec("UPDATE delivery SET state = 2, failures = 1 WHERE id = 'c'"));
  rmSync(file);
  finish(leave(away, home));
  finish(arrive(home));
  expect(webhooksAt(home)).toEqual([
    ["of-the-account", "of-the-connection"],
    [1, 2],
    [away.path, "a", "b", "c"].toSorted(),
    ["for both", "for the account", "since then"],
  ]);
  const interrupted = inDatabase(findStored(home.storage, uuid).object, (object) =>
    object.prepare("SELECT seq, state, due_at FROM delivery WHERE id = 'c'").get(),
  );
  expect(interrupted, "no attempt runs any more").toEqual({ seq: 3, state: 1, due_at: 1 });
});

it("a move is refused while a backup reads the connection's database, whose log would otherwise undo the move", () => {
  const whole = objectAt(home);
  // As after a stop: the last rows are only in the write-ahead log.
  const { object } = findStored(home.storage, uuid);
  const [writer, backup] = [new DatabaseSync(object), new DatabaseSync(object)];
  writer.exec("PRAGMA journal_mode = WAL; UPDATE instance SET state = state");
  backup.exec("BEGIN; SELECT count(*) FROM instance");
  writer.close();
  expect(() => finish(leave(home, away))).toThrow(`${object} is in use by another process, such as a backup`);
  expect(objectAt(home)).toEqual(whole);
  expect(existsSync(join(home.path, "moves", uuid)), "there is no copy of the session").toBe(false);
  backup.close();
  finish(leave(home, away));
  expect(objectAt(home)).toEqual(LEFT);
});

it("a move that fails before the connection has left deletes its copies, and works when repeated", () => {
  const whole = objectAt(home);
  const { object } = findStored(home.storage, uuid);
  inDatabase(object, (database) => database.exec("ALTER TABLE ticket RENAME TO ticket_elsewhere"));
  expect(() => finish(leave(home, away))).toThrow("no such table: ticket");
  expect(objectAt(home)).toEqual(whole);
  expect(existsSync(join(home.path, "moves", uuid))).toBe(false);
  inDatabase(object, (database) => database.exec("ALTER TABLE ticket_elsewhere RENAME TO ticket"));
  finish(leave(home, away));
  expect(objectAt(home)).toEqual(LEFT);
});

it("a move's file that cannot be completed is deleted, and an import that fails keeps none of its media", () => {
  const { blobs, media } = findStored(home.storage, uuid);
  const [first = ""] = readdirSync(blobs);
  const [second, aside] = ["f".repeat(80), join(parent, "aside")];
  inDatabase(media, (database) => {
    const [row] = database.prepare("SELECT * FROM _mf_objects WHERE blob_id = ?").all(first);
    insertAll(database, "_mf_objects", [{ ...row, key: `${String(row?.["key"])}2`, blob_id: second }]);
  });
  mkdirSync(join(blobs, second));
  expect(() => finish(leave(home, away))).toThrow("EISDIR");
  expect(readdirSync(parent).filter((name) => name.startsWith("shop.move"))).toEqual([]);
  rmdirSync(join(blobs, second));
  cpSync(join(blobs, first), join(blobs, second));
  finish(leave(home, away));
  cpSync(file, aside);
  const opened = new DatabaseSync(file);
  opened.prepare("UPDATE part SET sealed = zeroblob(64) WHERE name = ?").run(second);
  opened.close();
  expect(() => finish(arrive(away))).toThrow(`is damaged (part 0 of ${second})`);
  expect(existsSync(findStored(away.storage, uuid).blobs)).toBe(false);
  cpSync(aside, file);
  finish(arrive(away));
  expect(readdirSync(findStored(away.storage, uuid).blobs)).toEqual([first, second].toSorted());
});

it("a connection with tables of a newer release is refused", () => {
  inDatabase(findStored(home.storage, uuid).object, (object) =>
    object.exec("UPDATE schema_version SET version = 99 WHERE concern = 'session'"),
  );
  finish(leave(home, away));
  expect(() => finish(arrive(away))).toThrow("the connection is from a newer release");
  expect(existsSync(findStored(away.storage, uuid).object)).toBe(false);
});

it("a move that would not work is refused, and changes nothing", () => {
  const nowhere = { connection: uuid, to: ownAddress(away.path), file: join(parent, "missing", "shop.move") };
  expect(() => finish(exportConnection(home, nowhere, NOW))).toThrow(`--file: ${nowhere.file} cannot be written`);
  expect(objectAt(home).wants).toBe(true);
  finish(leave(home, away));
  expect(() => finish(arrive(away, null))).toThrow("--owner EMAIL");
  expect(() => finish(arrive(away, "nobody@gateway.local"))).toThrow("--owner: there is no active account");
  inDatabase(findStored(away.storage, uuid).d1, (d1) => d1.exec("UPDATE subscription SET max_instances = 0"));
  expect(() => finish(arrive(away))).toThrow("may have 0 connections and has 0");
  inDatabase(findStored(away.storage, uuid).d1, (d1) => d1.exec("UPDATE subscription SET max_instances = 5"));
  const opened = new DatabaseSync(file);
  opened.exec("UPDATE part SET sealed = zeroblob(64) WHERE name = 'object'");
  opened.close();
  expect(() => finish(arrive(away))).toThrow("is damaged (part 0 of object)");
  writeFileSync(file, "something else");
  expect(() => finish(arrive(away))).toThrow("was not made by this release's export");
  expect(existsSync(findStored(away.storage, uuid).object)).toBe(false);
  expect(() => finish(exportConnection(home, { connection: "77", to: ownAddress(away.path), file }, NOW))).toThrow(
    "there is no connection 77",
  );
});
