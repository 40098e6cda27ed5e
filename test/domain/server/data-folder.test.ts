import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dataProblem, migrationNames, openDataFolder, recordRelease } from "#root/server/data-folder.ts";
import { downgradeProblem, FORMAT } from "#root/server/format.ts";

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "data-"));
  folder = join(parent, "data");
});
afterEach(() => rmSync(parent, { recursive: true }));

const opened = () => {
  const read = openDataFolder(folder);
  if (!read.ok) throw new Error(read.problem);
  return { ...read, upgradedFrom: recordRelease(folder) };
};

it("a new folder gets secrets once", () => {
  expect(dataProblem(folder)).toBeNull();
  const first = opened();
  const secrets = first.folder.secrets();
  expect(Object.values(secrets).every((secret) => secret.length >= 32)).toBe(true);
  expect(dataProblem(folder)).toBeNull();
  const second = opened();
  expect(second.folder.secrets()).toEqual(secrets);
  expect([first.upgradedFrom, second.upgradedFrom]).toEqual([null, null]);
});

it("a folder with a missing secret is refused, and gets no new one", () => {
  opened();
  writeFileSync(join(folder, "secrets.env"), "KEY_SECRET=abc\n");
  expect(openDataFolder(folder)).toEqual({ ok: false, problem: expect.stringMatching(/^STATE_SECRET is missing in .*secrets\.env$/) });
  expect(readFileSync(join(folder, "secrets.env"), "utf8")).toBe("KEY_SECRET=abc\n");
});

it("a first start that ended before the runtime started can be repeated, and keeps its secrets", () => {
  opened();
  const secrets = readFileSync(join(folder, "secrets.env"), "utf8");
  rmSync(join(folder, "format"));
  writeFileSync(join(folder, "format.123.tmp"), "");
  writeFileSync(join(folder, "lock"), "");
  writeFileSync(join(folder, "serve.pid"), "");
  mkdirSync(join(folder, "logs"));
  expect(dataProblem(folder)).toBeNull();
  expect(opened().upgradedFrom).toBeNull();
  expect(readFileSync(join(folder, "secrets.env"), "utf8")).toBe(secrets);
  rmSync(join(folder, "format"));
  writeFileSync(join(folder, "storage", "data"), "");
  expect(dataProblem(folder), "a folder with data but no format").toMatch(/holds storage, but no data of a gateway/);
});

it("a release that has not yet started its runtime leaves the data to the older release", () => {
  opened();
  const older = JSON.stringify({ format: FORMAT - 1, migrations: [] });
  writeFileSync(join(folder, "format"), older);
  expect(openDataFolder(folder)).toMatchObject({ ok: true });
  expect(readFileSync(join(folder, "format"), "utf8")).toBe(older);
});

it("a folder with foreign files is refused and left alone", () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "thesis.txt"), "");
  expect(dataProblem(folder)).toMatch(/holds thesis\.txt, but no data of a gateway/);
  expect(readdirSync(folder)).toEqual(["thesis.txt"]);
});

it("data of a newer release is refused", () => {
  opened();
  const migrations = migrationNames();
  const write = (format: unknown) => writeFileSync(join(folder, "format"), JSON.stringify(format));
  write({ format: FORMAT + 1, migrations });
  expect(dataProblem(folder)).toContain(
    `written by a newer release of the gateway; install that release, or restore a backup of this one (format ${FORMAT + 1}`,
  );
  write({ format: FORMAT, migrations: [...migrations, "9999_later.sql"] });
  expect(dataProblem(folder)).toMatch(/migration 9999_later\.sql is not known here/);
  writeFileSync(join(folder, "format"), "{");
  expect(dataProblem(folder)).toMatch(/format cannot be read; restore a backup/);
});

it("data of an older release is upgraded, which is reported once", () => {
  opened();
  writeFileSync(join(folder, "format"), JSON.stringify({ format: FORMAT, migrations: [] }));
  expect(downgradeProblem({ format: FORMAT, migrations: [] }, migrationNames())).toBeNull();
  expect(opened().upgradedFrom).toEqual({ format: FORMAT, migrations: [] });
  expect(opened().upgradedFrom).toBeNull();
});
