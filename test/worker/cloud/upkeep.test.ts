// Verification of a connected number's credentials: daily, after a refused call, and after a block ends.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CloudCredentials } from "#root/durable-objects/connection/cloud/credentials.ts";
import { createGraph } from "#root/durable-objects/connection/cloud/graph.ts";
import { CloudUpkeep } from "#root/durable-objects/connection/cloud/cloud-upkeep.ts";
import { advance } from "@gateway/domain/instance/advance.ts";
import type { OwnerCommand } from "@gateway/domain/instance/owner-commands.ts";
import { initialState } from "@gateway/domain/instance/state.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { Vault } from "#root/src/services/secrets/vault.ts";
import { type FakeGraph, fakeGraph } from "./fake-graph.ts";

const HOUR = 3_600_000;
const OWN = "https://app.example.com/api/cloud/webhook/one";

let graph: FakeGraph;
beforeEach(() => {
  graph = fakeGraph();
});
afterEach(() => graph.restore());

type World = {
  upkeep: CloudUpkeep;
  credentials: CloudCredentials;
  commands: string[];
  state: () => string;
  /** Events delivered to customers. */
  told: string[];
  /** Runs work due at this time and waits for it to finish. */
  at: (now: number) => Promise<void>;
  step: (command: OwnerCommand) => void;
};

/** Writes to D1 what it shows of the credentials. */
let shown: () => Promise<void> = () => Promise.resolve();

async function inObject(run: (world: World) => Promise<void>): Promise<void> {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage: { sql } }) => {
    const instance = { state: initialState(0) };
    const commands: string[] = [];
    const told: string[] = [];
    let ended = () => {};
    const step = (command: OwnerCommand, now = Date.now()) => {
      commands.push(command.type);
      const { state, notices } = advance(instance.state, command, now);
      instance.state = state;
      for (const { event } of notices) told.push(event.type === "instance.status" ? `${event.status}/${event.reason}` : event.type);
    };
    const vault = new Vault(new Uint8Array(32));
    const credentials = new CloudCredentials(sql, () => vault);
    const upkeep = new CloudUpkeep({
      sql,
      times: new StoredTimes(sql),
      identity: { kind: "cloud_api", uuid: "one" },
      instance,
      credentials,
      graphOf: (which) =>
        createGraph({
          baseUrl: "https://graph.facebook.com",
          version: "v23.0",
          connection: "one",
          credentials: () => which,
          transport: (url, init) => fetch(url, init),
        }),
      callback: () => OWN,
      isShared: () => Promise.resolve(false),
      show: () => shown(),
      step,
      rearm: () => ended(),
    });
    const at = async (now: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ended = resolve;
      upkeep.run(now);
      await promise;
      ended = () => {};
    };
    await run({ upkeep, credentials, commands, told, step, at, state: () => `${instance.state.status}/${instance.state.reason}` });
    sql.exec("DELETE FROM cloud_check");
    sql.exec("DELETE FROM cloud_credentials");
  });
}

const configured = (change: object = {}) => {
  const { number, waba, token, secret } = graph;
  return { phoneNumberId: number, wabaId: waba, accessToken: token, appSecret: secret, pin: null, connects: true, ...change };
};
const dueOf = ({ upkeep }: World) => upkeep.nextDue() ?? Number.NaN;

describe("a connected number", () => {
  it("is verified a day later, give or take an hour", async () => {
    await inObject(async (world) => {
      const now = Date.now();
      expect(await world.upkeep.configure(configured())).toEqual({ ok: true, value: {} });
      const due = dueOf(world);
      expect(due).toBeGreaterThan(now + 22.9 * HOUR);
      expect(due).toBeLessThan(now + 25.1 * HOUR);
      graph.asked.length = 0;
      world.upkeep.run(due - 1);
      expect(graph.asked).toEqual([]);
      await world.at(due);
      expect(graph.asked).toEqual(["GET /number", "GET /waba/subscribed_apps"]);
      expect([world.told, world.state()]).toEqual([["connected/ok"], "connected/ok"]);
      expect(dueOf(world)).toBeGreaterThan(Date.now() + 22.9 * HOUR);
    });
  });

  it("gets its address and subscription back", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      Object.assign(graph, { callback: "https://elsewhere.example.com/", subscribed: [] });
      await world.at(dueOf(world));
      expect([graph.callback, graph.subscribed]).toEqual([OWN, [graph.app]]);
    });
  });

  it("fails once, if Graph refuses the number", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      graph.trouble = 190;
      await world.at(dueOf(world));
      expect([world.state(), world.told]).toEqual(["failed/cloud_token_invalid", ["connected/ok", "failed/cloud_token_invalid"]]);
      await world.at(dueOf(world));
      expect([world.upkeep.nextDue(), world.commands.filter((type) => type === "cloud.refused")]).toEqual([null, ["cloud.refused"]]);
    });
  });

  it.each(["silence", 131_000, 4, 80_007, 100] as const)("stays as it is after a check that ends in %s", async (trouble) => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      graph.trouble = trouble;
      await world.at(dueOf(world));
      expect(world.state()).toBe("connected/ok");
      expect(dueOf(world)).toBeLessThan(Date.now() + 1.1 * HOUR);
    });
  });

  it("is verified at once after a call refused for an invalid token, but not after each", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      const now = Date.now();
      world.upkeep.doubtCredentials(now);
      world.upkeep.doubtCredentials(now + 1);
      expect(dueOf(world)).toBe(now);
      graph.asked.length = 0;
      await world.at(now);
      expect([world.state(), graph.asked[0]]).toEqual(["connected/ok", "GET /number"]);
      world.upkeep.doubtCredentials(now + 1_000);
      expect(dueOf(world)).toBe(now + 60_000);
    });
  });

  it("adopts a new name", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      graph.phone = "+55 11 90000-0002";
      await world.at(dueOf(world));
      expect(world.commands).toEqual(["cloud.verified", "cloud.verified"]);
      expect(world.told).toEqual(["connected/ok"]);
    });
  });
});

describe("a number after a suspension", () => {
  it("connects as soon as Graph responds", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      world.step({ type: "suspension", active: true });
      world.step({ type: "suspension", active: false });
      expect(world.state()).toBe("disconnected/manual");
      world.upkeep.resume(Date.now());
      graph.trouble = "silence";
      await world.at(dueOf(world));
      expect(world.state()).toBe("disconnected/manual");
      graph.trouble = null;
      await world.at(dueOf(world));
      expect(world.told).toEqual(["connected/ok", "disconnected/account_suspended", "connected/ok"]);
    });
  });

  it("does not connect while the account is suspended again", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      world.step({ type: "suspension", active: true });
      world.upkeep.resume(Date.now());
      await world.at(dueOf(world));
      expect([world.state(), world.upkeep.nextDue()]).toEqual(["disconnected/account_suspended", null]);
    });
  });
});

describe("a change during a Graph request", () => {
  it("is not undone by the response: a number disconnected meanwhile stays so", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      world.upkeep.disconnect(Date.now());
      const { promise, resolve } = Promise.withResolvers<void>();
      graph.held = promise;
      const connecting = [world.upkeep.connect(), world.upkeep.configure(configured())];
      world.upkeep.disconnect(Date.now());
      resolve();
      expect(await Promise.all(connecting)).toEqual([
        { ok: true, value: {} },
        { ok: true, value: {} },
      ]);
      expect([world.state(), world.told]).toEqual(["disconnected/manual", ["connected/ok", "disconnected/manual"]]);
      expect(await world.upkeep.connect()).toEqual({ ok: true, value: {} });
      expect(world.state()).toBe("connected/ok");
    });
  });

  it("is not undone by a refusal", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      const { promise, resolve } = Promise.withResolvers<void>();
      Object.assign(graph, { held: promise, trouble: 190 });
      const connecting = world.upkeep.connect();
      world.upkeep.disconnect(Date.now());
      resolve();
      expect(await connecting).toMatchObject({ failure: { code: "cloud_credentials_invalid" } });
      expect(world.state()).toBe("disconnected/manual");
    });
  });

  it("a disconnect cancels a pending reconnect", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      world.step({ type: "suspension", active: true });
      world.step({ type: "suspension", active: false });
      world.upkeep.resume(Date.now());
      world.upkeep.disconnect(Date.now());
      expect([world.upkeep.nextDue(), world.state()]).toEqual([null, "disconnected/manual"]);
    });
  });

  it("a removal leaves neither credentials nor an address", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      await world.upkeep.configure(configured());
      graph.callback = "https://elsewhere.example.com/";
      const { promise, resolve } = Promise.withResolvers<void>();
      graph.held = promise;
      const [changing, queued] = [world.upkeep.configure(configured()), world.upkeep.configure(configured())];
      const forgotten = world.upkeep.forget();
      resolve();
      expect(await changing).toMatchObject({ failure: { code: "instance_not_found" } });
      expect(await queued).toMatchObject({ failure: { code: "instance_not_found" } });
      await forgotten;
      expect([world.credentials.get(), graph.subscribed, graph.callback]).toEqual([null, [], "https://elsewhere.example.com/"]);
      expect(world.told).toEqual(["connected/ok"]);
    });
  });

  it("a number connects once, however often requested, and again after a disconnect", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      world.upkeep.disconnect(Date.now());
      graph.asked.length = 0;
      const connecting = [world.upkeep.connect(), world.upkeep.connect()];
      world.upkeep.disconnect(Date.now());
      connecting.push(world.upkeep.connect(), world.upkeep.connect());
      await Promise.all(connecting);
      expect([graph.asked, world.state()]).toEqual([["GET /number", "GET /number"], "connected/ok"]);
    });
  });

  it("the rating is requested once for all callers", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      vi.setSystemTime(Date.now() + HOUR);
      graph.asked.length = 0;
      const asked = await Promise.all(Array.from({ length: 5 }, () => world.upkeep.quality()));
      vi.useRealTimers();
      expect(graph.asked).toEqual(["GET /number"]);
      expect(asked.map((read) => read?.number.quality)).toEqual(Array.from({ length: 5 }, () => "GREEN"));
    });
  });
});

describe("the rating while Graph is silent", () => {
  afterEach(() => vi.useRealTimers());

  it("is the last known one after three seconds, also behind another verification, and immediate for later callers", async () => {
    await inObject(async (world) => {
      await world.upkeep.configure(configured());
      vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
      vi.setSystemTime(Date.now() + HOUR);
      const { promise, resolve } = Promise.withResolvers<void>();
      graph.held = promise;
      world.upkeep.recheck(Date.now());
      world.upkeep.run(Date.now());
      let answers = 0;
      const asked = async () => {
        const read = await world.upkeep.quality();
        answers += 1;
        return read?.number.quality;
      };
      const first = asked();
      await vi.advanceTimersByTimeAsync(2_999);
      expect(answers).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(await first).toBe("GREEN");
      graph.quality = "RED";
      expect(await asked()).toBe("GREEN");
      resolve();
      await vi.waitFor(async () => expect(await asked()).toBe("RED"));
    });
  });
});

describe("a connection that fails late", () => {
  it.each([
    ["takes the app's subscription back", [], []],
    ["leaves a subscription that was there before", ["own"], ["own"]],
  ])("%s", async (_what, before, after) => {
    const subscribed = before.map(() => graph.app);
    for (const fault of [{ fields: ["account_update"] }, { onCallback: () => Promise.resolve(false) }]) {
      await inObject(async (world) => {
        Object.assign(graph, { fields: ["messages"], onCallback: null }, fault, { subscribed });
        expect(await world.upkeep.configure(configured())).toMatchObject({ failure: { code: "cloud_credentials_invalid" } });
        expect(graph.subscribed).toEqual(after.map(() => graph.app));
        expect(world.credentials.get()).toBeNull();
      });
    }
  });
});

describe("stored credentials", () => {
  it("take effect while D1 is away; the call fails so that it is repeated, and the daily check repeats it", async () => {
    let shows = 0;
    shown = () => Promise.reject(new Error(`D1 is away: ${(shows += 1)}`));
    await inObject(async (world) => {
      const { credentials, upkeep } = world;
      expect(await upkeep.configure(configured())).toEqual({ ok: true, value: {} });
      expect(shows).toBe(0);
      graph.token = "another-token";
      expect(await upkeep.configure(configured())).toEqual({ ok: false, failure: { code: "unavailable" } });
      expect([shows, credentials.get()?.accessToken]).toEqual([1, "another-token"]);
      await world.at(dueOf(world));
      expect([shows, world.state()]).toEqual([2, "connected/ok"]);
    }).finally(() => {
      shown = () => Promise.resolve();
    });
  });

  it("are encrypted, and the previous secret is valid for a day", async () => {
    await inObject(async ({ credentials, upkeep }) => {
      await upkeep.configure(configured());
      const first = graph.secret;
      graph.secret = "another-secret";
      await upkeep.configure(configured());
      const now = Date.now();
      expect(credentials.appSecrets(now)).toEqual(["another-secret", first]);
      expect(credentials.appSecrets(now + 25 * HOUR)).toEqual(["another-secret"]);
    });
    await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage: { sql } }) => {
      const vault = new Vault(new Uint8Array(32));
      const stored = {
        phoneNumberId: "1",
        wabaId: "2",
        appId: "3",
        accessToken: "a-token",
        appSecret: "a-secret",
        verifyToken: "a-word",
        pin: "123456",
      };
      expect(new CloudCredentials(sql, () => vault).store(stored, 0)).toBe(true);
      const row = sql.exec("SELECT * FROM cloud_credentials").one();
      const bytes = Object.values(row).map((value) =>
        value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : String(value),
      );
      for (const secret of ["a-token", "a-secret", "a-word", "123456"]) expect(bytes.join(" ")).not.toContain(secret);
      expect(new CloudCredentials(sql, () => vault).get()).toEqual({ ...stored, previous: null });
      expect(new CloudCredentials(sql, () => null).get()).toBeNull();
      const other = new CloudCredentials(sql, () => vault);
      other.wipe();
      expect([other.get(), other.appSecrets(0)]).toEqual([null, []]);
    });
  });
});
