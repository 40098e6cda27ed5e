// Backups of a data folder that no gateway uses, and which of them are restored.
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { backupsIn, lastBackupAt, makeBackup } from "#root/server/backup/make-backup.ts";
import { damageOf, filesBelow } from "#root/server/backup/manifest.ts";
import { nextBackupAt, startNightlyBackups } from "#root/server/backup/nightly.ts";
import { restore } from "#root/server/backup/restore.ts";
import { copySnapshot } from "#root/server/backup/snapshot.ts";
import { freeBytes } from "#root/server/backup/space.ts";
import { openDataFolder, recordRelease } from "#root/server/data-folder.ts";
import { flushToDisk } from "#root/server/files.ts";
import { FORMAT } from "#root/server/format.ts";
import type { Logs } from "#root/server/processes/logs.ts";

const NOW = new Date("2026-03-01T03:30:00.000Z");
const BLOB = "storage/r2/gateway-media/blobs/1a2b";
const OBJECT = "storage/do/gateway-Connection/ab.sqlite";

let parent: string;
let data: string;
let backups: string;
let writer: DatabaseSync;
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(data, path)), { recursive: true });
  writeFileSync(join(data, path), text);
};
const folder = () => {
  const opened = openDataFolder(data);
  if (!opened.ok) throw new Error(opened.problem);
  return opened.folder;
};
const backedUp = (now = NOW, keep = 7) => makeBackup(folder(), backups, keep, now);
const rows = (file: string) => {
  const database = new DatabaseSync(file);
  const found = database.prepare("SELECT text FROM messages ORDER BY rowid").all();
  database.close();
  return found.map((row) => row["text"]);
};

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "backup-"));
  [data, backups] = [join(parent, "data"), join(parent, "backups")];
  folder();
  recordRelease(data);
  write(BLOB, "a picture");
  write("mail/one.txt", "an invitation");
  write("move.key", "this machine's key");
  write("moves/one/object.sqlite", "a connection that left");
  write("logs/host.log", "not in backups");
  write(OBJECT, "");
  // Keeps the database open like the runtime, so its last rows are only in the write-ahead log.
  writer = new DatabaseSync(join(data, OBJECT));
  writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE messages (text); INSERT INTO messages VALUES ('first')");
});
afterEach(() => {
  writer.close();
  rmSync(parent, { recursive: true });
});

describe("a backup", () => {
  it("contains the databases with their write-ahead logs, media, mail and secrets, and nothing else", async () => {
    const { path, files, pausedMs } = await backedUp();
    expect(path).toBe(join(backups, "gateway-2026-03-01T03-30-00-000Z"));
    expect(filesBelow(path)).toEqual([
      "format",
      "mail/one.txt",
      "manifest.json",
      "move.key",
      "moves/one/object.sqlite",
      "secrets.env",
      OBJECT,
      BLOB,
    ]);
    expect([files, pausedMs]).toEqual([7, 0]);
    expect(rows(join(path, OBJECT))).toEqual(["first"]);
    expect(statSync(path).mode & 0o077, "other users cannot read it").toBe(0);
    expect(readdirSync(data)).not.toContain("backup-links");
    expect(lastBackupAt(backups, NOW.getTime())).toBe(NOW.getTime());
  });

  it("keeps the newest, and stores unchanged media once", async () => {
    const paths = [];
    for (const day of [0, 1, 2]) paths.push((await backedUp(new Date(NOW.getTime() + day * DAY_MS), 2)).path);
    expect(backupsIn(backups).map((name) => join(backups, name))).toEqual(paths.slice(1));
    const [one, two] = paths.slice(1).map((path) => statSync(join(path, BLOB)).ino);
    expect(one).toBe(two);
    expect(await Promise.all(paths.slice(1).map(damageOf))).toEqual([null, null]);
  });

  it("leaves nothing if it fails", async () => {
    write("storage/do/gateway-Connection/broken.sqlite", "no database, although it is named like one".repeat(100));
    await expect(backedUp()).rejects.toThrow("file is not a database");
    expect(readdirSync(backups)).toEqual([]);
    expect(readdirSync(data)).not.toContain("backup-links");
  });
});

describe("the pause for a snapshot", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it("lists the files once and looks up none, and keeps the media that were stored after the first list", async () => {
    const opened = folder();
    const later = "storage/r2/gateway-media/blobs/3c4d";
    const { readdirSync: list } = fs;
    const lists = vi.spyOn(fs, "readdirSync").mockImplementation(((...given: Parameters<typeof list>) => {
      const found = list(...given);
      if (/\/blobs\/?$/.test(String(given[0]))) write(later, "another picture");
      return found;
    }) as typeof list);
    const lookups = vi.spyOn(fs, "existsSync");
    syncBuiltinESMExports();
    const links = join(data, "links");
    await copySnapshot(opened, links, join(parent, "copy"));
    const listed = lists.mock.calls.filter(([path]) => path === opened.storage);
    expect(listed, "once before the pause, once in it").toHaveLength(2);
    const files = new Set([BLOB, later].map((path) => join(links, path.slice("storage/".length))));
    expect(lookups.mock.calls.filter(([path]) => files.has(String(path)))).toEqual([]);
    expect(readFileSync(join(parent, "copy", BLOB), "utf8")).toBe("a picture");
    expect(readFileSync(join(parent, "copy", later), "utf8")).toBe("another picture");
  });
});

describe("a backup on a disk that fills up", () => {
  const KB = 1_000;
  const media = (name: string) => `storage/r2/gateway-media/blobs/${name}`;
  /** Three backups, each with a file of its own that the next one no longer has, and with the file that all share. */
  async function threeBackups(): Promise<string[]> {
    const names = [];
    for (const day of [0, 1, 2]) {
      write(media(`${day}`), "x".repeat(200 * KB));
      names.push(basename((await backedUp(new Date(NOW.getTime() + day * DAY_MS))).path));
      rmSync(join(data, media(`${day}`)));
    }
    write(media("new"), "x".repeat(200 * KB));
    return names;
  }
  const madeWith = async (free: () => number) => {
    const reports: string[] = [];
    const surroundings = { report: (text: string) => void reports.push(text), space: () => ({ free: free(), size: 1_000 * KB }) };
    const made = makeBackup(folder(), backups, 7, new Date(NOW.getTime() + 3 * DAY_MS), surroundings);
    return { made: await made.then(({ path }) => basename(path)).catch(({ message }: Error) => message), reports };
  };

  it("is refused if it would leave the disk low", async () => {
    write(media("new"), "x".repeat(200 * KB));
    // The backup needs between 200 and 300 kB, and a tenth of the disk must stay free.
    const { made } = await madeWith(() => 300 * KB);
    expect(made).toBe(`BACKUP_DIR: ${backups} has 1 MB free, and a backup needs 1 MB and must leave 1 MB free`);
    expect(readdirSync(backups)).toEqual([]);
    expect((await madeWith(() => 401 * KB)).made).toMatch(/^gateway-/);
  });

  it("deletes the oldest ones until it fits, and says so", async () => {
    const [oldest = "", ...others] = await threeBackups();
    const { made, reports } = await madeWith(() => (existsSync(join(backups, oldest)) ? 250 * KB : 450 * KB));
    expect(backupsIn(backups)).toEqual([...others, made]);
    expect(reports).toEqual([`${join(backups, oldest)}: deleted to make room for a new backup`]);
  });

  it("deletes none if the new one would still not fit", async () => {
    const names = await threeBackups();
    writeFileSync(join(data, media("new")), "x".repeat(600 * KB));
    const { made, reports } = await madeWith(() => 10 * KB);
    expect(made).toMatch(/^BACKUP_DIR: .* has 1 MB free/);
    expect([backupsIn(backups), reports]).toEqual([names, []]);
  });
});

describe("a restore", () => {
  it("puts everything in place of what was there, which it moves aside", async () => {
    const { path } = await backedUp();
    const before = folder().secrets();
    writer.exec("INSERT INTO messages VALUES ('later')");
    write(BLOB, "changed");
    expect(await restore(path, data, false, NOW)).toEqual({ ok: false, problem: expect.stringContaining("holds data; add --replace") });
    const flush = vi.fn(flushToDisk);
    const restored = await restore(path, data, true, NOW, { flush, free: freeBytes });
    expect(restored).toEqual({ ok: true, movedTo: join(data, "before-restore-2026-03-01T03-30-00-000Z") });
    expect(rows(join(data, OBJECT))).toEqual(["first"]);
    expect(readFileSync(join(data, BLOB), "utf8")).toBe("a picture");
    expect(folder().secrets()).toEqual(before);
    expect([readFileSync(join(data, "move.key"), "utf8"), existsSync(join(data, "moves/one/object.sqlite"))]).toEqual([
      "this machine's key",
      true,
    ]);
    expect(existsSync(join(data, "before-restore-2026-03-01T03-30-00-000Z", OBJECT))).toBe(true);
    expect(await damageOf(path), "the backup stays whole").toBeNull();
    // A power failure after the restore must not leave empty files.
    const flushed = flush.mock.calls.map(([file]) => file);
    const placed = ["format", "secrets.env", "mail/one.txt", OBJECT, BLOB, dirname(BLOB)].map((name) => join(data, "restoring", name));
    expect(flushed).toEqual(expect.arrayContaining([...placed, data]));
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ["a byte more", (path) => appendFileSync(join(path, BLOB), "x"), /1a2b is damaged$/],
    ["another byte", (path) => writeFileSync(join(path, BLOB), "A picture"), /1a2b is damaged$/],
    ["a missing file", (path) => rmSync(join(path, OBJECT)), /ab\.sqlite is missing$/],
    ["a file that nobody wrote", (path) => writeFileSync(join(path, "storage/extra"), ""), /storage\/extra is not in its manifest$/],
    ["half a manifest", (path) => writeFileSync(join(path, "manifest.json"), '{"created_at":'), /manifest\.json is missing or damaged$/],
    ["no manifest", (path) => rmSync(join(path, "manifest.json")), /manifest\.json is missing or damaged$/],
  ])("refuses a backup with %s, and changes nothing", async (_what, harm, words) => {
    const { path } = await backedUp();
    harm(path);
    const before = filesBelow(data);
    expect(await restore(path, data, true, NOW)).toEqual({ ok: false, problem: expect.stringMatching(words) });
    expect(filesBelow(data)).toEqual(before);
  });

  it("is refused if its files do not fit on the disk, and changes nothing", async () => {
    const { path, bytes } = await backedUp();
    const before = filesBelow(data);
    const disk = { flush: flushToDisk, free: () => bytes };
    const problem = `DATA_DIR: ${data} has 1 MB free, and the restore needs 1 MB`;
    expect(await restore(path, data, true, NOW, disk)).toEqual({ ok: false, problem });
    expect(filesBelow(data)).toEqual(before);
  });

  it("leaves the folder as it was if the disk fills up meanwhile", async () => {
    const { path } = await backedUp();
    const before = filesBelow(data);
    const flush = () => {
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    };
    const problem = `DATA_DIR: ${data} cannot be read and written (ENOSPC); nothing was restored`;
    expect(await restore(path, data, true, NOW, { flush, free: freeBytes })).toEqual({ ok: false, problem });
    expect(filesBelow(data)).toEqual(before);
    expect(readdirSync(data).filter((name) => /^(restoring|before-restore)/.test(name))).toEqual([]);
  });

  it("refuses the backup of a newer release", async () => {
    write("format", JSON.stringify({ format: FORMAT + 1, migrations: [] }));
    const { path } = await makeBackup({ ...folderAt(), path: data }, backups, 7, NOW);
    expect(await restore(path, data, true, NOW)).toEqual({ ok: false, problem: expect.stringContaining("written by a newer release") });
  });
});

const folderAt = () => ({ storage: join(data, "storage"), mail: join(data, "mail"), secrets: () => folder().secrets() });

describe("nightly backups", () => {
  it("come at the time of day in UTC, once a day", () => {
    const at = (text: string) => Date.parse(text);
    expect(nextBackupAt("03:30", at("2026-03-01T02:00:00Z"))).toBe(at("2026-03-01T03:30:00Z"));
    expect(nextBackupAt("03:30", at("2026-03-01T03:30:00Z"))).toBe(at("2026-03-02T03:30:00Z"));
    expect(nextBackupAt("00:00", at("2026-02-28T12:00:00Z"))).toBe(at("2026-03-01T00:00:00Z"));
  });

  it("run when due, are retried an hour after a failure, and catch up if the host was off at night", async () => {
    vi.useFakeTimers({ now: new Date("2026-03-01T03:00:00Z") });
    const lines: string[] = [];
    const logs = { event: (event: string) => void lines.push(event) } as unknown as Logs;
    let ok = false;
    const started = vi.fn(() => ({ result: Promise.resolve({ ok, text: "" }), stop: () => undefined }));
    const nightly = startNightlyBackups({ folder: backups, time: "03:30", keep: 7 }, logs, started);
    await vi.advanceTimersByTimeAsync(29 * MINUTE_MS);
    expect(started).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect([started.mock.calls.length, lines]).toEqual([1, ["backup.failed"]]);
    ok = true;
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(lines).toEqual(["backup.failed", "backup.written"]);
    nightly.stop();

    mkdirSync(join(backups, "gateway-2026-02-20T03-30-00-000Z"), { recursive: true });
    const afterwards = startNightlyBackups({ folder: backups, time: "03:30", keep: 7 }, logs, started);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(started).toHaveBeenCalledTimes(3);
    afterwards.stop();
    vi.useRealTimers();
  });

  it("continue after a clock that was ahead is set back, and then count its later-dated backups as the oldest", async () => {
    vi.useFakeTimers({ now: new Date("2027-01-01T03:29:00Z") });
    const lines: string[] = [];
    const logs = { event: (event: string) => void lines.push(event) } as unknown as Logs;
    const started = () => ({ result: Promise.resolve({ ok: false, text: "" }), stop: () => undefined });
    mkdirSync(join(backups, "gateway-2026-12-31T03-30-00-000Z"), { recursive: true });
    const nightly = startNightlyBackups({ folder: backups, time: "03:30", keep: 7 }, logs, started);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(lines).toEqual(["backup.failed"]);
    vi.setSystemTime(new Date("2026-03-01T03:00:00Z"));
    await vi.advanceTimersByTimeAsync(31 * MINUTE_MS);
    expect(lines).toEqual(["backup.failed", "backup.failed"]);
    nightly.stop();
    vi.useRealTimers();
    const { path } = await backedUp(NOW, 1);
    expect(backupsIn(backups)).toEqual([basename(path)]);
  });

  it("do not end the host if the system cannot start their process, and are tried again", async () => {
    vi.useFakeTimers({ now: new Date("2026-03-01T03:29:00Z") });
    const lines: unknown[] = [];
    const logs = { event: (event: string, { text }: { text: string }) => void lines.push([event, text]) } as unknown as Logs;
    const started = vi.fn(() => {
      throw new Error("spawn ENOMEM");
    });
    const nightly = startNightlyBackups({ folder: backups, time: "03:30", keep: 7 }, logs, started);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(lines).toEqual([["backup.failed", "spawn ENOMEM"]]);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(started).toHaveBeenCalledTimes(2);
    nightly.stop();
    vi.useRealTimers();
  });

  it("do not end the host if their folder cannot be read, and then report it as a failed backup", async () => {
    vi.useFakeTimers({ now: new Date("2026-03-01T03:29:00Z") });
    writeFileSync(backups, "a file where the folder should be");
    const lines: string[] = [];
    const logs = { event: (event: string) => void lines.push(event) } as unknown as Logs;
    const started = () => ({ result: Promise.resolve({ ok: false, text: "ENOTDIR" }), stop: () => undefined });
    const nightly = startNightlyBackups({ folder: backups, time: "03:30", keep: 7 }, logs, started);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(lines).toEqual(["backup.failed"]);
    nightly.stop();
    vi.useRealTimers();
  });
});
