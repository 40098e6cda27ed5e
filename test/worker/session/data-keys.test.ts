// Data encrypted by an object remains readable when its STATE_SECRET entry is replaced (docs/operate/security.md, "State at rest").
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MIGRATIONS } from "#root/durable-objects/connection/schema.ts";
import { DataKeys } from "#root/durable-objects/connection/store/data-keys.ts";
import { Identity } from "#root/durable-objects/connection/instance/identity.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { readSecrets, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { storedIn } from "../support/stored.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await allEnded();
});

const OLD = "the-old-secret-the-old-secret-the-old-secret";
const NEW = "the-new-secret-the-new-secret-the-new-secret";
const PROXY_URL = "http://ana:xyzzy@proxy.example.com:3128";

function secretsOf(setting: string): VersionedSecrets {
  const read = readSecrets(setting);
  if (!read.ok) throw new Error(read.problem);
  return read.secrets;
}

const record = (uuid: string, change: Record<string, unknown> = {}) =>
  ({ ...new TestConnection().record, uuid, ...change }) as TestConnection["record"];

type Wake = (setting: string) => { keys: DataKeys; identity: Identity };

/** One object's storage, loaded by its constructor under the given STATE_SECRET. */
async function inObject<T>(act: (sql: SqlStorage, wake: Wake, uuid: string) => T): Promise<T> {
  const uuid = crypto.randomUUID();
  return runInDurableObject(env.CONNECTION.getByName(uuid), async (_object, { storage }) => {
    await storage.deleteAll();
    migrate(storage, MIGRATIONS);
    const wake: Wake = (setting) => {
      const keys = new DataKeys(storage.sql, secretsOf(setting), uuid);
      return { keys, identity: new Identity(storage.sql, uuid, keys) };
    };
    return act(storage.sql, wake, uuid);
  });
}

describe("the keys of an object", () => {
  it("stay the same when STATE_SECRET is rotated, and need the old entry no more", async () => {
    await inObject((_sql, wake, uuid) => {
      const first = wake(OLD);
      first.identity.store(record(uuid, { proxy_url: PROXY_URL }));
      const [state, sealed] = [first.keys.stateKey(), first.keys.vault()?.seal("whsec_x", "secret") ?? new Uint8Array()];
      expect(first.keys.kid).toBe(1);
      for (const setting of [`2:${NEW} 1:${OLD}`, `2:${NEW}`, `3:${OLD} 2:${NEW}`, `3:${OLD}`]) {
        const { keys, identity } = wake(setting);
        expect([keys.stateKey(), keys.vault()?.open(sealed, "secret")]).toEqual([state, "whsec_x"]);
        expect(identity.record?.proxy_url).toBe(PROXY_URL);
        expect(keys.kid).toBe(Number(setting[0]));
      }
    });
  });

  it("exist from the first record on, also where entry 1 was dropped long ago", async () => {
    await inObject((_sql, wake, uuid) => {
      wake(`2:${NEW}`).identity.store(record(uuid));
      const { keys } = wake(`2:${NEW}`);
      keys.renewStateKey();
      expect([keys.kid, keys.stateKey()]).toEqual([2, expect.stringMatching(/^[\w+/]{43}=$/)]);
      expect(keys.vault()).not.toBeNull();
    });
  });

  it("cannot be read with only the old entry and the stored data", async () => {
    const log = vi.spyOn(console, "log");
    await inObject((sql, wake, uuid) => {
      const first = wake(OLD);
      first.identity.store(record(uuid, { proxy_url: PROXY_URL }));
      wake(`2:${NEW} 1:${OLD}`);
      expect(sql.exec("SELECT DISTINCT kid FROM data_key").toArray()).toEqual([{ kid: 2 }]);
      const { keys, identity } = wake(OLD);
      expect([keys.stateKey(), keys.vault(), keys.kid]).toEqual([null, null, 2]);
      // The session does not bypass the proxy.
      expect(identity.record?.proxy_url).toBe("proxy:gone");
      expect(wake(`2:${OLD}`).keys.stateKey()).toBeNull();
      expect(log.mock.calls.flat().join("\n")).toContain('"event":"secrets.entry_missing"');
      // The correct setting restores access, so nothing was lost.
      expect(wake(`2:${NEW}`).keys.stateKey()).toBe(first.keys.stateKey());
    });
  });
});

describe("without the entry that its keys need, an object", () => {
  it("can be given a new state key, and its own secrets wait for the entry", async () => {
    await inObject((_sql, wake, uuid) => {
      const first = wake(OLD);
      first.identity.store(record(uuid, { proxy_url: PROXY_URL }));
      const old = first.keys.stateKey();
      const sealed = first.keys.vault()?.seal("whsec_x", "secret") ?? new Uint8Array();
      const { keys } = wake(`2:${NEW}`);
      expect(keys.stateKey()).toBeNull();
      keys.renewStateKey();
      const state = keys.stateKey();
      expect(state).toMatch(/^[\w+/]{43}=$/);
      expect(state).not.toBe(old);
      for (const setting of [`2:${NEW}`, `3:${OLD} 2:${NEW}`]) {
        const again = wake(setting).keys;
        expect([again.stateKey(), again.vault(), again.kid]).toEqual([state, null, 1]);
      }
      const back = wake(`3:${OLD} 2:${NEW} 1:${OLD}`);
      expect([back.keys.stateKey(), back.keys.vault()?.open(sealed, "secret"), back.keys.kid]).toEqual([state, "whsec_x", 3]);
      expect(back.identity.record?.proxy_url).toBe(PROXY_URL);
    });
  });

  it("lets its number be paired anew, and refuses a session that has stored something", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await session.commit([], [["creds|me", "AAAA"]]);
    await connection.sql("UPDATE data_key SET kid = 77");
    await connection.crash();
    expect(await (await session.redial()).frames.closed).toMatchObject({ code: 1011 });
    await connection.ask("instance.connect", { force_new_pairing: true });
    const paired = await bridge.open(connection.uuid);
    expect(paired.stateKey).toMatch(/^[\w+/]{43}=$/);
    await paired.commit([event.open()], [["creds|me", "BBBB"]]);
    expect((await paired.redial()).stateKey).toBe(paired.stateKey);
  });
});

describe("the state key of a session", () => {
  it("differs for every connection and every pairing, and is the same for every session of a pairing", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    const other = await TestConnection.connected();
    expect(other.session.stateKey).not.toBe(session.stateKey);
    await session.commit([], [["creds|me", "AAAA"]]);
    const again = await session.redial();
    expect(again.stateKey).toBe(session.stateKey);
    await connection.ask("instance.logout", {});
    await connection.ask("instance.connect", { force_new_pairing: false });
    const repaired = await bridge.open(connection.uuid);
    expect(repaired.stateKey).not.toBe(session.stateKey);
  });
});

it("a proxy's password is stored in no table of the object in the clear", async () => {
  const connection = await TestConnection.create({ proxy_url: PROXY_URL });
  const stored = await storedIn(connection.stub);
  expect(stored).toContain("data_key: {");
  expect(stored).not.toContain("xyzzy");
  const [row] = await connection.sql<{ record: string }>("SELECT record FROM identity");
  expect(JSON.parse(row?.record ?? "{}")).toMatchObject({ uuid: connection.uuid, proxy_url: null });
});
