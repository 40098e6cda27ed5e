// Defects in Baileys rc14 with workarounds (docs/internals/baileys.md, "Defects of the libraries"). If one of these tests fails with a
// newer version, check whether the defect is fixed before repairing the workaround.
import { EventEmitter } from "node:events";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  addTransactionCapability,
  Curve,
  QueryIds,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type WASocket,
  XWAPaths,
} from "baileys";
import { AppStateUnanswered, guardAppStateSync } from "#root/session-bridge/networks/baileys/socket/app-state-guard.ts";
import { describedChannel } from "#root/session-bridge/networks/baileys/queries/channel-reads.ts";
import { letWorkOutliveTransactions } from "#root/session-bridge/networks/baileys/durability/outliving-work.ts";
import { silentLog } from "#root/session-bridge/networks/baileys/socket/library-log.ts";
import { queryMex } from "#root/session-bridge/networks/baileys/queries/network-query.ts";
import { eventually } from "../../support/eventually.ts";
import { QUERY_TIMEOUT_MS } from "#root/session-bridge/networks/baileys/socket/socket-config.ts";
import { dropDevicesWithoutPreKeys } from "#root/session-bridge/networks/baileys/socket/refused-devices.ts";
import { childrenOf } from "#root/test-network/node.ts";
import { createGroup } from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { shortenQueryTimeouts } from "../phones/query-timeouts.ts";
import { jidOf, must, openWorld, shown, type World } from "../phones/world.ts";

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe("an unanswered app-state sync", () => {
  const TIMEOUT_MS = 400;
  /** A collection without patches after linking. */
  const UNTOUCHED = "regular_high";

  it("makes stock Baileys query for ever, and ours give up and name the collections", async () => {
    const { client } = await world.pair("Somebody", { defaultQueryTimeoutMs: QUERY_TIMEOUT_MS });
    await eventually("the first sync to be over", 60_000, () => (client.auth.creds.accountSyncCounter ?? 0) > 0);
    let asked = 0;
    const request = world.network.request.bind(world.network);
    // The network does not respond, which Baileys interprets as "no changes yet".
    world.network.request = (from, iq) => {
      const answer = request(from, iq);
      if (from.id === 0 || iq.attrs["xmlns"] !== "w:sync:app:state") return answer;
      // Other collections may be syncing too: at first all of them, later those changed by a phone.
      const names = childrenOf(childrenOf(iq)[0]).map(({ attrs }) => attrs["name"]);
      asked += names.length === 1 && names[0] === UNTOUCHED ? 1 : 0;
      return { tag: "iq", attrs: { id: "somebody-else", type: "result" } };
    };
    const unread: string[] = [];
    const restoreTimeouts = shortenQueryTimeouts();
    guardAppStateSync(client.sock, { unread: (name, why) => unread.push(`${name} ${why}`), read: () => undefined }, TIMEOUT_MS);
    const resync = client.sock.resyncAppState([UNTOUCHED], false).finally(() => {
      world.network.request = request;
      restoreTimeouts();
    });
    await expect(resync).rejects.toThrow(AppStateUnanswered);
    expect(unread).toContain(`${UNTOUCHED} unanswered`);
    expect(asked).toBe(1);
    await client.sock.resyncAppState([UNTOUCHED], false);
  });

  it("does not disturb an answered sync, however often it reads", async () => {
    const state = new Map<string, unknown>();
    const store = { get: () => ({}), set: (data: SignalDataSet) => void state.set("set", data) };
    const keys = addTransactionCapability(store, silentLog, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
    const unread = vi.fn<(collection: string, why: string) => void>();
    const sock = { authState: { keys }, ws: Object.assign(new EventEmitter(), { isOpen: true }), resyncAppState: vi.fn() };
    guardAppStateSync(sock as unknown as WASocket, { unread, read: () => undefined });
    for (let sync = 0; sync < 3; sync += 1) {
      await keys.transaction(async () => {
        for (let turn = 0; turn < 3; turn += 1) await keys.get("app-state-sync-version", ["regular", "critical_block"]);
      }, "me");
    }
    expect(unread).not.toHaveBeenCalled();
  });
});

describe("an app-state sync whose socket closes before it ends", () => {
  /** Rows stored by a sync whose socket stays open, or closes early. */
  const storedOf = async (endsOpen: boolean): Promise<SignalDataSet[]> => {
    const stored: SignalDataSet[] = [];
    const store = { get: () => ({}), set: (data: SignalDataSet) => void stored.push(data) };
    const keys = addTransactionCapability(store, silentLog, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
    const ws = Object.assign(new EventEmitter(), { isOpen: true });
    const sync = async (): Promise<void> => {
      await keys.get("app-state-sync-version", ["regular"]);
      await keys.set({ "app-state-sync-version": { regular: { version: 1, hash: Buffer.alloc(128), indexValueMap: {} } } });
      ws.isOpen = endsOpen;
    };
    const resyncAppState = (): Promise<void> => keys.transaction(sync, "me");
    const sock = { authState: { keys }, ws, resyncAppState };
    guardAppStateSync(sock as unknown as WASocket, { unread: () => undefined, read: () => undefined });
    const ends = endsOpen ? "ended" : "the socket closed during a sync of the app state";
    // First the library's method, then ours.
    for (const work of [resyncAppState, sock.resyncAppState]) {
      ws.isOpen = true;
      expect(
        await work().then(
          () => "ended",
          (error: Error) => error.message,
        ),
      ).toBe(ends);
    }
    return stored;
  };

  it("stores no version, so that the next socket gets the changes that nobody heard of", async () => {
    expect(await storedOf(true)).toHaveLength(2);
    expect(await storedOf(false)).toEqual([]);
  });
});

describe("work that outlives its key transaction", () => {
  /** The row written by the work, and the value read afterwards. */
  const outlived = async (mend: (keys: SignalKeyStoreWithTransaction) => void): Promise<{ stored: unknown; read: unknown }> => {
    const kept: Record<string, any> = {};
    const store = {
      get: (type: string, ids: string[]) => Object.fromEntries(ids.flatMap((id) => (kept[type]?.[id] ? [[id, kept[type][id]]] : []))),
      set: (data: SignalDataSet) => {
        for (const [type, rows] of Object.entries(data)) kept[type] = { ...kept[type], ...rows };
      },
    };
    const keys = addTransactionCapability(store as never, silentLog, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
    mend(keys);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let work: Promise<unknown> = Promise.resolve();
    await keys.transaction(async () => {
      await keys.set({ tctoken: { early: { token: Buffer.alloc(1) } } });
      work = over.then(async () => {
        // Runs outside the transaction's context, as later code does.
        await keys.transaction(() => keys.set({ tctoken: { late: { token: Buffer.alloc(2) } } }) as Promise<void>, "me");
        return keys.get("tctoken", ["early", "late"]);
      });
    }, "me");
    end();
    const read = Object.keys((await work) as object);
    return { stored: Object.keys(kept["tctoken"]), read };
  };

  it("loses its writes with stock Baileys, and stores them with ours", async () => {
    expect(await outlived(() => {})).toMatchObject({ stored: ["early"] });
    expect(await outlived(letWorkOutliveTransactions)).toEqual({ stored: ["early", "late"], read: ["early", "late"] });
  });

  it("makes stock Baileys send a contact our privacy token with every message", async () => {
    const { client, phone } = await world.pair();
    const friend = await world.newPhone();
    const handedOver = () => world.network.stats.queries["privacy/set/tokens"] ?? 0;
    const before = handedOver();
    // Sends several messages, because one that is sent while the previous token is still in flight hands over none.
    await eventually("the token to be handed over again and again", 60_000, async () => {
      await client.sock.sendMessage(jidOf(friend), { text: "another" });
      return handedOver() - before >= 3;
    });
    expect(phone.troubles).toEqual([]);
  });
});

describe("a channel that is created without a picture", () => {
  it("makes stock Baileys throw although it was created; our own query is answered", async () => {
    const { client } = await world.pair();
    await expect(client.sock.newsletterCreate("Stock")).rejects.toThrow(TypeError);
    const input = { name: "News", description: "What is new" };
    const created = describedChannel(await queryMex(client, QueryIds.CREATE, { input }, XWAPaths.xwa2_newsletter_create));
    expect(created?.facts).toMatchObject({ channel_id: expect.stringMatching(/@newsletter$/) as string, ...input, role: "owner" });
    expect([...world.network.newsletters.values()].map(({ name }) => name)).toEqual(["Stock", "News"]);
  });
});

describe("a device without pre-keys", () => {
  const loseKeys = (phone: SimulatedPhone): void => void (world.network.directory.account(phone.pn)!.devices.get(0)!.keys = undefined);

  it("makes stock Baileys fail the whole group send, while ours skips it", async () => {
    const { client, phone } = await world.pair();
    const [friend, lost] = [await world.newPhone(), await world.newPhone()];
    const { group_id } = must(await friend.act((parts) => createGroup(parts, "Team", [phone.pn, lost.pn])));
    loseKeys(lost);
    await expect(client.sock.sendMessage(group_id, { text: "stock" })).rejects.toThrow("item-not-found");
    dropDevicesWithoutPreKeys(client.sock);
    await client.sock.sendMessage(group_id, { text: "ours" });
    await shown(friend, ({ text }) => text === "ours");
  });

  it("fails the send when it is a person's only one", async () => {
    const { client } = await world.pair();
    const lost = await world.newPhone();
    loseKeys(lost);
    dropDevicesWithoutPreKeys(client.sock);
    await expect(client.sock.sendMessage(jidOf(lost), { text: "to nobody" })).rejects.toThrow("All encryptions failed");
  });
});

describe("signatures", () => {
  it("are verified, where stock Baileys accepts any 64 bytes", () => {
    // `trust` in the test support installs strict verification for this process; the bridge's self-check tests its own.
    const pair = Curve.generateKeyPair();
    const message = Buffer.from("a message");
    const signature = Curve.sign(pair.private, message);
    expect(Curve.verify(pair.public, message, signature)).toBe(true);
    expect(Curve.verify(pair.public, Buffer.from("another"), signature)).toBe(false);
  });
});
