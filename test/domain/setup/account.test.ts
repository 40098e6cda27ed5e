// The steps of `npm run setup` against a scripted account: existing resources are found, and nothing is created twice.
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { storedPasswordIdentifier } from "@gateway/domain/keys/password-link.ts";
import { checkDocker, checkLogin, ensureBucket, ensureDatabase, ensureMediaRule } from "#root/tools/setup/account.ts";
import { NO_DATABASE_ID } from "#root/tools/setup/configuration.ts";
import { firstAdminLink } from "#root/tools/setup/first-admin.ts";
import { ensureSecrets } from "#root/tools/setup/secrets.ts";
import type { Ran, Wrangler } from "#root/tools/setup/wrangler.ts";

type Answer = Partial<Ran> | string;
type Asked = { command: string; input: string | undefined };

/** Responses by command prefix; unlisted commands fail. A function is called each time. */
function account(answers: Record<string, Answer | ((asked: Asked) => Answer)>): { wrangler: Wrangler; asked: Asked[] } {
  const asked: Asked[] = [];
  const wrangler: Wrangler = async (args, { input } = {}) => {
    const now = { command: args.join(" "), input };
    asked.push(now);
    const key = Object.keys(answers).find((start) => now.command.startsWith(start));
    const answer = key === undefined ? { ok: false, stderr: "unknown command" } : answers[key];
    const said = typeof answer === "function" ? answer(now) : (answer ?? "");
    return { ok: true, stdout: "", stderr: "", ...(typeof said === "string" ? { stdout: said } : said) };
  };
  return { wrangler, asked };
}

const configured = (databaseId: string) => ({
  name: "gateway",
  workersDev: false,
  databaseName: "gateway",
  databaseId,
  bucket: "media",
  vars: {},
});

afterEach(() => vi.unstubAllEnvs());

describe("the login", () => {
  const who = (value: object) => account({ whoami: JSON.stringify(value) }).wrangler;
  const two = {
    loggedIn: true,
    accounts: [
      { id: "a", name: "Shop" },
      { id: "b", name: "Else" },
    ],
  };

  it("must be for one account, which may be chosen among several", async () => {
    expect(await checkLogin(who({ loggedIn: true, accounts: [{ id: "a", name: "Shop" }] }))).toBe("Shop");
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "b");
    expect(await checkLogin(who(two))).toBe("Else");
  });

  it("is reported if it is missing, or if no account is chosen among several", async () => {
    await expect(checkLogin(who({ loggedIn: false }))).rejects.toMatchObject({ remedy: expect.stringContaining("wrangler login") });
    await expect(checkLogin(account({}).wrangler)).rejects.toThrow("not logged in");
    await expect(checkLogin(who(two))).rejects.toMatchObject({ remedy: "Set CLOUDFLARE_ACCOUNT_ID to one of: a (Shop), b (Else)" });
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "c");
    await expect(checkLogin(who(two))).rejects.toThrow("this login has no account c");
  });
});

describe("Docker", () => {
  it.each(["false", "a-program-that-is-nowhere"])(
    "is reported as missing when `%s info` fails, and is not required with external bridges",
    async (program) => {
      vi.stubEnv("WRANGLER_DOCKER_BIN", program);
      await expect(checkDocker()).rejects.toMatchObject({ remedy: expect.stringContaining("--bridge external") });
    },
  );

  it("is accepted when it answers", async () => {
    vi.stubEnv("WRANGLER_DOCKER_BIN", "true");
    await expect(checkDocker()).resolves.toBeUndefined();
  });
});

describe("the database", () => {
  const known = JSON.stringify([{ uuid: "11111111", name: "gateway" }]);
  /** The result of a statement that selects names. */
  const rows = (...names: string[]) => JSON.stringify([{ results: names.map((name) => ({ name })), success: true }]);

  it("is found by its id or by its name, and created otherwise", async () => {
    const there = account({ "d1 list": known, "d1 execute 11111111 --remote": rows() });
    const found = { id: "11111111", isNew: false };
    expect(await ensureDatabase(there.wrangler, "gateway", configured("11111111"), "weur")).toEqual({ ...found, isOurs: true });
    expect(await ensureDatabase(there.wrangler, "gateway", configured(NO_DATABASE_ID), "weur")).toEqual({ ...found, isOurs: false });
    expect(there.asked.map(({ command }) => command)).not.toContain("d1 create gateway --location weur");
    let list = "[]";
    const empty = account({ "d1 list": () => list, "d1 create gateway --location weur": () => (list = known) });
    expect(await ensureDatabase(empty.wrangler, "gateway", configured(NO_DATABASE_ID), "weur")).toEqual({
      id: "11111111",
      isNew: true,
      isOurs: false,
    });
  });

  it("is not taken from another program that happens to use the name, and is recognized by its migrations", async () => {
    const having = (tables: string[], migrations: string[] = []) =>
      account({
        "d1 list": known,
        "d1 execute 11111111 --remote": ({ command }) => (command.endsWith("d1_migrations") ? rows(...migrations) : rows(...tables)),
      }).wrangler;
    const found = (wrangler: Wrangler) => ensureDatabase(wrangler, "gateway", configured(NO_DATABASE_ID), "weur");
    await expect(found(having(["_cf_KV", "orders"]))).rejects.toMatchObject({
      message: "the database gateway belongs to another program: it has a table orders, but none of this gateway's migrations",
      remedy: expect.stringContaining("write its database_id there: 11111111"),
    });
    await expect(found(having(["d1_migrations", "orders"], ["0000_orders.sql"]))).rejects.toThrow("belongs to another program");
    expect(await found(having(["_cf_KV", "d1_migrations"]))).toMatchObject({ isOurs: false });
    expect(await found(having(["d1_migrations", "user"], ["0000_schema.sql"]))).toMatchObject({ id: "11111111", isOurs: true });
  });

  it("is not taken from another account, nor under another name", async () => {
    const { wrangler, asked } = account({ "d1 list": known });
    await expect(ensureDatabase(wrangler, "gateway", configured("22222222"), "weur")).rejects.toThrow(
      "database_id 22222222 is not in this account",
    );
    await expect(ensureDatabase(wrangler, "shop", configured("11111111"), "weur")).rejects.toThrow('is "gateway", not "shop"');
    expect(asked.filter(({ command }) => command.startsWith("d1 create"))).toEqual([]);
  });
});

describe("the bucket", () => {
  it("is found or created; an error of Cloudflare is passed on", async () => {
    expect(await ensureBucket(account({ "r2 bucket info media": "{}" }).wrangler, "media", "oc", false)).toBe(false);
    const missing = { ok: false, stderr: "does not exist [code: 10006]" };
    expect(
      await ensureBucket(account({ "r2 bucket info": missing, "r2 bucket create media --location oc": "" }).wrangler, "media", "oc", true),
    ).toBe(true);
    const refused = account({ "r2 bucket info": missing, "r2 bucket create": { ok: false, stderr: "Please enable R2 [code: 10042]" } });
    await expect(ensureBucket(refused.wrangler, "media", "oc", true)).rejects.toThrow("Please enable R2");
  });
});

describe("the bucket of a new gateway", () => {
  it("is refused if it has files, of which the rule would delete some", async () => {
    const holding = (files: string) => account({ "r2 bucket info media": JSON.stringify({ name: "media", object_count: files }) });
    const { wrangler, asked } = holding("1,200");
    await expect(ensureBucket(wrangler, "media", "oc", true)).rejects.toThrow(
      "the bucket media has 1,200 files, although the gateway's database is new",
    );
    expect(asked).toHaveLength(1);
    expect(await ensureBucket(wrangler, "media", "oc", false)).toBe(false);
    expect(await ensureBucket(holding("0").wrangler, "media", "oc", true)).toBe(false);
  });
});

describe("the rule that deletes files", () => {
  it("is found or added once, for files of messages alone", async () => {
    const there = account({ "r2 bucket lifecycle list media": "name:  expired-media\nenabled: Yes" });
    expect(await ensureMediaRule(there.wrangler, "media")).toBe(false);
    expect(there.asked).toHaveLength(1);
    const none = account({ "r2 bucket lifecycle list": "There are no lifecycle rules", "r2 bucket lifecycle add": "" });
    expect(await ensureMediaRule(none.wrangler, "media")).toBe(true);
    expect(none.asked.at(-1)?.command).toBe("r2 bucket lifecycle add media expired-media media/ --expire-days 410 --force");
    const refused = account({ "r2 bucket lifecycle list": { ok: false, stderr: "not allowed [code: 10000]" } });
    await expect(ensureMediaRule(refused.wrangler, "media")).rejects.toThrow("not allowed");
  });
});

describe("the secrets", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "setup-"));
    file = join(folder, "kept/gateway.env");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const NAMES = ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"];
  const noWorker = { "secret list": { ok: false, stderr: 'Worker "gateway" (env: staging) not found.' } };
  /** An account with a worker that has these secrets and accepts more. */
  function holding(...names: string[]) {
    const put: Record<string, string>[] = [];
    const list = () => JSON.stringify([...names, ...put.flatMap((one) => Object.keys(one))].map((name) => ({ name })));
    const bulk = ({ input }: Asked) => (put.push(JSON.parse(input ?? "{}") as Record<string, string>), "");
    return { ...account({ "secret list": list, "secret bulk": bulk }), put };
  }

  it("come with the first deploy, because a worker created without containers never gets any", async () => {
    const { wrangler, asked } = account(noWorker);
    expect(await ensureSecrets(wrangler, file)).toEqual({ put: NAMES, withoutCopy: [], withDeploy: true });
    expect(asked.map(({ command }) => command.split(" --")[0])).toEqual(["secret list"]);
    const copy = readFileSync(file, "utf8");
    expect(Object.keys(parseEnv(copy)).toSorted()).toEqual(NAMES.toSorted());
    expect(await ensureSecrets(wrangler, file)).toEqual({ put: NAMES, withoutCopy: [], withDeploy: true });
    expect(readFileSync(file, "utf8")).toBe(copy);
  });

  it("are written to the copy, readable by its owner alone, before they are put, and never stand in a command", async () => {
    const { wrangler, asked, put } = holding();
    expect(await ensureSecrets(wrangler, file)).toEqual({ put: NAMES, withoutCopy: [], withDeploy: false });
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect((statSync(join(folder, "kept")).mode & 0o777).toString(8)).toBe("700");
    const copy = parseEnv(readFileSync(file, "utf8"));
    expect(put).toEqual([copy]);
    expect(new Set(Object.values(copy)).size).toBe(4);
    for (const value of Object.values(copy)) {
      expect(value).toMatch(/^[\w-]{64}$/);
      expect(asked.some(({ command }) => command.includes(value ?? ""))).toBe(false);
    }
    expect(await ensureSecrets(wrangler, file)).toEqual({ put: [], withoutCopy: [], withDeploy: false });
    expect(parseEnv(readFileSync(file, "utf8"))).toEqual(copy);
  });

  it("are put again with the same values after a failure", async () => {
    const broken = account({
      "secret list": "[]",
      "secret bulk": { ok: false, stderr: "no network" },
    });
    await expect(ensureSecrets(broken.wrangler, file)).rejects.toThrow("no network");
    const copy = parseEnv(readFileSync(file, "utf8"));
    const { wrangler, put } = holding();
    await ensureSecrets(wrangler, file);
    expect(put).toEqual([copy]);
  });

  it("are never created over those that Cloudflare has, whether or not there is a copy", async () => {
    const { wrangler, put } = holding(...NAMES);
    expect(await ensureSecrets(wrangler, file)).toEqual({ put: [], withoutCopy: NAMES, withDeploy: false });
    expect([put, existsSync(file)]).toEqual([[], false]);
    const partly = holding("KEY_SECRET", "STATE_SECRET");
    expect(await ensureSecrets(partly.wrangler, file)).toEqual({
      put: ["BRIDGE_SECRET", "AUTH_SECRET"],
      withoutCopy: ["KEY_SECRET", "STATE_SECRET"],
      withDeploy: false,
    });
    expect(Object.keys(parseEnv(readFileSync(file, "utf8"))).toSorted()).toEqual(["AUTH_SECRET", "BRIDGE_SECRET"]);
  });

  it("are not created while it is unknown which ones exist", async () => {
    for (const stderr of [
      "Authentication error [code: 10000]",
      "getaddrinfo ENOTFOUND api.cloudflare.com",
      "Account not found [code: 7003]",
    ]) {
      const { wrangler } = account({ "secret list": { ok: false, stderr } });
      await expect(ensureSecrets(wrangler, file)).rejects.toThrow(stderr);
      expect(existsSync(file)).toBe(false);
    }
  });

  it.each(['✘ [ERROR] Worker "gateway" not found.', "workers.api.error.script_not_found [code: 10007]", "[code: 10090]"])(
    "are created when wrangler says that there is no worker: %s",
    async (stderr) => {
      const { wrangler } = account({ "secret list": { ok: false, stderr }, "secret bulk": "" });
      expect((await ensureSecrets(wrangler, file)).put).toEqual(NAMES);
    },
  );

  it("are refused if the copy holds an unusable one, and the copy is closed to others", async () => {
    await ensureSecrets(holding().wrangler, file);
    writeFileSync(file, `${readFileSync(file, "utf8")}KEY_SECRET="too-short"\n`);
    chmodSync(file, 0o644);
    const attempt = ensureSecrets(holding().wrangler, file);
    await expect(attempt).rejects.toThrow("KEY_SECRET in");
    await expect(attempt).rejects.not.toThrow("too-short");
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  });
});

describe("the first administrator's link", () => {
  const NOW = 1_800_000_000_000;
  const EMAIL = "o'brien@shop.dev";

  /** The deployment's database, and a wrangler that executes statements in it. */
  function migrated() {
    const database = new DatabaseSync(":memory:");
    const folder = fileURLToPath(new URL("../../../migrations", import.meta.url));
    for (const name of globSync("*.sql", { cwd: folder }).toSorted()) database.exec(readFileSync(join(folder, name), "utf8"));
    let command = "";
    const wrangler: Wrangler = async (args) => {
      command = args.at(-1) ?? "";
      const results = command.split("; ").map((statement) => ({ results: database.prepare(statement).all(), success: true }));
      return { ok: true, stdout: JSON.stringify(results), stderr: "" };
    };
    return { database, wrangler, command: () => command };
  }

  it("adds an unconfirmed user and the hash of the link, for an hour", async () => {
    const { database, wrangler, command } = migrated();
    const link = await firstAdminLink(wrangler, EMAIL, "https://gw.shop.dev", NOW);
    const token = /^https:\/\/gw\.shop\.dev\/set-password\?token=(\w{48})$/.exec(link)?.[1] ?? "";
    expect(command()).not.toContain(token);
    const [user, ...others] = database.prepare("SELECT id, email, role, email_verified FROM user").all();
    expect([user, others]).toEqual([{ id: user?.["id"], email: EMAIL, role: "user", email_verified: 0 }, []]);
    const rows = database.prepare("SELECT identifier, value, expires_at FROM verification").all();
    expect(rows).toEqual([{ identifier: storedPasswordIdentifier(token), value: user?.["id"], expires_at: NOW + 3_600_000 }]);
  });

  it("has the address in small letters, however the setting writes it", async () => {
    const { database, wrangler } = migrated();
    await firstAdminLink(wrangler, "O'Brien@Shop.dev", "https://gw.shop.dev", NOW);
    expect(database.prepare("SELECT email FROM user").all()).toEqual([{ email: EMAIL }]);
  });

  it("is for an existing account, unless that is suspended", async () => {
    const { database, wrangler } = migrated();
    const add = (id: string, email: string, status: string) =>
      database
        .prepare("INSERT INTO user (id, name, email, status, created_at, updated_at) VALUES (?, 'A', ?, ?, 1, 1)")
        .run(id, email, status);
    add("known", EMAIL, "active");
    add("other", "eve@shop.dev", "suspended");
    await firstAdminLink(wrangler, EMAIL, "https://gw.shop.dev", NOW);
    await expect(firstAdminLink(wrangler, "eve@shop.dev", "https://gw.shop.dev", NOW)).rejects.toThrow("is suspended or being deleted");
    expect(database.prepare("SELECT value FROM verification").all()).toEqual([{ value: "known" }]);
    expect(database.prepare("SELECT COUNT(*) AS users FROM user").get()).toEqual({ users: 2 });
  });
});
