// Tests the wrapper around Baileys' Signal repository: its writes and their order (docs/internals/durability.md, "How messages get lost").
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { addTransactionCapability, Curve, generateSignalPubKey, type SignalKeyStoreWithTransaction } from "baileys";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AuthState } from "#root/session-bridge/networks/baileys/durability/auth-state.ts";
import { baileysRows } from "#root/session-bridge/networks/baileys/durability/row-serializer.ts";
import { quietConsole } from "#root/session-bridge/process/quiet-console.ts";
import { silentLog } from "#root/session-bridge/networks/baileys/socket/library-log.ts";
import { WriteBehindCache, type Write } from "#root/session-bridge/store/write-behind-cache.ts";
import { PlaintextCache } from "#root/session-bridge/networks/baileys/durability/sent-messages.ts";
import { RowCodec } from "#root/session-bridge/store/row-codec.ts";
import { durableSignal } from "#root/session-bridge/networks/baileys/durability/signal.ts";

/** libsignal's job queue, shared by all sessions of a process. */
const queueJob = createRequire(createRequire(import.meta.url).resolve("baileys"))("libsignal/src/queue_job.js") as (
  bucket: string,
  job: () => Promise<void>,
) => Promise<void>;

quietConsole();

type Party = ReturnType<typeof newParty>;

function newParty(jid: string) {
  const store = new WriteBehindCache(new RowCodec(randomBytes(32), baileysRows), 0, () => undefined);
  const auth = new AuthState(store);
  auth.creds.me = { id: jid };
  const cold = new Map<string, Buffer>();
  const plaintexts = new PlaintextCache({
    fetchCold: (names) =>
      Promise.resolve(
        new Map(names.flatMap((name) => [[name, cold.get(name)] as const]).filter((row): row is [string, Buffer] => row[1] !== undefined)),
      ),
  });
  const keys: SignalKeyStoreWithTransaction = addTransactionCapability(auth.keys, silentLog, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 0,
  });
  const signal = durableSignal(store, plaintexts)({ creds: auth.creds, keys }, silentLog);
  return { jid, store, auth, cold, keys, signal };
}

async function introduce(from: Party, to: Party): Promise<void> {
  const preKey = Curve.generateKeyPair();
  await to.auth.keys.set({ "pre-key": { "1": preKey } });
  to.auth.creds = { ...to.auth.creds };
  const { registrationId, signedIdentityKey, signedPreKey } = to.auth.creds;
  await from.signal.injectE2ESession({
    jid: to.jid,
    session: {
      registrationId,
      identityKey: generateSignalPubKey(signedIdentityKey.public),
      signedPreKey: {
        keyId: signedPreKey.keyId,
        publicKey: generateSignalPubKey(signedPreKey.keyPair.public),
        signature: signedPreKey.signature,
      },
      preKey: { keyId: 1, publicKey: generateSignalPubKey(preKey.public) },
    },
  });
}

/** Row types of each write, in order. */
function groupsOf(store: WriteBehindCache): string[][] {
  const groups: string[][] = [];
  const put = store.put.bind(store);
  vi.spyOn(store, "put").mockImplementation((writes: readonly Write[]) => {
    if (writes.length > 0) groups.push(writes.map(([name]) => name.slice(0, name.indexOf("|"))));
    put(writes);
  });
  return groups;
}

let peer: Party;
let own: Party;

beforeEach(async () => {
  peer = newParty("5511900000001@s.whatsapp.net");
  own = newParty("5511900000002@s.whatsapp.net");
  await introduce(peer, own);
});

const encrypted = (text: string) => peer.signal.encryptMessage({ jid: own.jid, data: Buffer.from(text) });

type Chains = { _sessions: Record<string, { _chains: Record<string, { messageKeys: object }> }> };

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("missing");
  return value;
}

describe("a conversation of many turns", () => {
  const say = async (from: Party, to: Party, text: string): Promise<void> => {
    const message = await from.signal.encryptMessage({ jid: to.jid, data: Buffer.from(text) });
    expect(Buffer.from(await to.signal.decryptMessage({ jid: from.jid, ...message })).toString()).toBe(text);
  };
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) {
      await say(peer, own, `question ${turn}`);
      await say(own, peer, `answer ${turn}`);
    }
  };

  it("keeps its session small", async () => {
    await turns(60);
    const { _sessions: sessions } = own.store.get("session|5511900000001.0") as Chains;
    expect(Object.values(sessions).map(({ _chains: chains }) => Object.keys(chains).length)).toEqual([6]);
  });

  it("keeps the newest 2,000 keys of skipped messages, although its sender skips more", async () => {
    await turns(1);
    const skipped: Awaited<ReturnType<typeof encrypted>>[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 900; n += 1) skipped.push(await encrypted(`skipped ${skipped.length}`));
      await say(peer, own, `round ${round}`);
    }
    const { _sessions: sessions } = own.store.get("session|5511900000001.0") as Chains;
    const chains = Object.values(sessions).flatMap(({ _chains }) => Object.values(_chains));
    expect(chains.reduce((sum, { messageKeys }) => sum + Object.keys(messageKeys).length, 0)).toBe(2_000);
    const read = async (n: number) => own.signal.decryptMessage({ jid: peer.jid, ...must(skipped[n]) }).then(String, () => null);
    expect(await Promise.all([0, 699, 700, 2_699].map(read))).toEqual([null, null, "skipped 700", "skipped 2699"]);
  });

  it("still decrypts a message that arrives twenty turns late", async () => {
    await turns(1);
    const late = await encrypted("late");
    await turns(20);
    expect(Buffer.from(await own.signal.decryptMessage({ jid: peer.jid, ...late })).toString()).toBe("late");
    await turns(1);
  });
});

describe("a sender key", () => {
  const distribute = async (groupId: string) => {
    const key = await peer.signal.getSenderKeyDistributionMessage({ group: "1@g.us", meId: peer.jid });
    const item = { groupId, axolotlSenderKeyDistributionMessage: key };
    await own.signal.processSenderKeyDistributionMessage({ item, authorJid: peer.jid });
    return own.store.names().filter((name) => name.startsWith("sender-key|"));
  };

  it.each(["120363000000000001@g.us", "5511900000001-1400000000@g.us", "status@broadcast"])("for %s is stored", async (groupId) => {
    expect(await distribute(groupId)).toEqual([expect.stringContaining(groupId)]);
  });

  const impossible: [what: string, groupId: string][] = [
    ["of 500 characters", "x".repeat(500)],
    ["that is longer than any group's", `${"1".repeat(65)}@g.us`],
    ["of a person", "1@s.whatsapp.net"],
    ["without characters", ""],
    ["with a line break", "1@g.us\n"],
  ];

  it.each(impossible)("for a chat id %s is ignored, because the row's name would contain the id", async (_what, groupId) => {
    expect(await distribute(groupId)).toEqual([]);
  });
});

describe("a decryption", () => {
  it("writes ratchet and plaintext together, or nothing", async () => {
    const { type, ciphertext } = await encrypted("hello");
    const groups = groupsOf(own.store);
    expect((await own.signal.decryptMessage({ jid: peer.jid, type, ciphertext })).toString()).toBe("hello");
    expect(groups).toHaveLength(1);
    expect(groups[0]).toEqual(expect.arrayContaining(["session", "identity-key", "plain", "pre-key"]));

    // After our answer, the peer's messages end with their MAC.
    await peer.signal.decryptMessage({
      jid: own.jid,
      ...(await own.signal.encryptMessage({ jid: peer.jid, data: Buffer.from("answer") })),
    });
    groups.length = 0;
    const broken = await encrypted("broken");
    broken.ciphertext[broken.ciphertext.length - 1] = (broken.ciphertext.at(-1) ?? 0) ^ 1;
    await expect(own.signal.decryptMessage({ jid: peer.jid, ...broken })).rejects.toThrow("No matching sessions");
    expect(groups).toEqual([]);
  });

  it("is repeated from memory for the same bytes, and from the store in another process", async () => {
    const message = await encrypted("hello");
    await own.signal.decryptMessage({ jid: peer.jid, ...message });
    expect(Buffer.from(await own.signal.decryptMessage({ jid: peer.jid, ...message })).toString()).toBe("hello");

    const stranger = newParty("5511900000003@s.whatsapp.net");
    const id = new PlaintextCache({ fetchCold: () => Promise.resolve(new Map()) }).idOf(message.ciphertext);
    stranger.cold.set(`plain|${id}`, Buffer.from("stored"));
    expect(Buffer.from(await stranger.signal.decryptMessage({ jid: peer.jid, ...message })).toString()).toBe("stored");
  });

  it("stays in its own transaction when libsignal's queue runs it in another's", async () => {
    const message = await encrypted("hello");
    const groups = groupsOf(own.store);
    const busy = Promise.withResolvers<void>();
    // Another customer's session is working on the same contact.
    const other = queueJob(own.signal.jidToSignalProtocolAddress(peer.jid), () => busy.promise);
    const decrypted = own.signal.decryptMessage({ jid: peer.jid, ...message });
    await new Promise((resolve) => setImmediate(resolve));
    busy.resolve();
    await other;
    expect(Buffer.from(await decrypted).toString()).toBe("hello");
    expect(groups).toHaveLength(1);
  });
});

describe("an encryption", () => {
  it("has written the advanced ratchet before its bytes can be sent", async () => {
    await own.signal.decryptMessage({ jid: peer.jid, ...(await encrypted("hello")) });
    const groups = groupsOf(own.store);
    await own.keys.transaction(async () => {
      await own.signal.encryptMessage({ jid: peer.jid, data: Buffer.from("answer") });
      // At this point Baileys would write to the socket, and commit afterwards.
      expect(groups).toEqual([["session"]]);
    }, own.jid);
  });

  it("holds back a decryption for the same contact until its message is sent", async () => {
    await own.signal.decryptMessage({ jid: peer.jid, ...(await encrypted("hello")) });
    const message = await encrypted("while sending");
    const sending = Promise.withResolvers<void>();
    const order: string[] = [];
    const send = own.keys.transaction(async () => {
      await sending.promise;
      order.push("sent");
    }, own.jid);
    const received = own.signal.decryptMessage({ jid: peer.jid, ...message }).then(() => order.push("received"));
    await new Promise((resolve) => setImmediate(resolve));
    sending.resolve();
    await Promise.all([send, received]);
    expect(order).toEqual(["sent", "received"]);
  });
});

describe("the key store", () => {
  it("writes an app-state version behind the changes of its turn, into the same commit", async () => {
    const groups = groupsOf(own.store);
    await own.auth.keys.set({ "app-state-sync-version": { regular: { version: 3, hash: Buffer.alloc(128), indexValueMap: {} } } });
    expect(own.auth.keys.get("app-state-sync-version", ["regular"])).toMatchObject({ regular: { version: 3 } });
    expect(groups).toEqual([]);
    for (let step = 0; step < 20; step += 1) await Promise.resolve();
    own.store.emit([{ key: null, event: { type: "label.deleted", label_id: "1", timestamp: 1 } }]);
    await new Promise((resolve) => process.nextTick(resolve));
    const frame = JSON.parse(own.store.nextCommit() ?? "{}") as { rows: [string, string][]; events: unknown[] };
    expect(frame.rows.map(([name]) => name)).toContain("app-state-sync-version|regular");
    expect(frame.events).toHaveLength(1);
    expect(own.auth.keys.get("app-state-sync-version", ["regular"])).toMatchObject({ regular: { version: 3 } });
  });

  it("never stores who has our sender keys, which is only true once a message was sent", async () => {
    const groups = groupsOf(own.store);
    await own.auth.keys.set({ "sender-key-memory": { "1-2@g.us": { "a@lid": true } } });
    expect(own.auth.keys.get("sender-key-memory", ["1-2@g.us"])).toEqual({ "1-2@g.us": { "a@lid": true } });
    own.auth.forgetSenderKeyMemory();
    expect(own.auth.keys.get("sender-key-memory", ["1-2@g.us"])).toEqual({});
    expect(groups).toEqual([]);
  });

  it("forgets changes that the library makes to a list of key holders before it fails", async () => {
    await own.auth.keys.set({ "sender-key-memory": { "1-2@g.us": { "a@lid": true } } });
    const held = await own.auth.keys.get("sender-key-memory", ["1-2@g.us"]);
    Object.assign(held["1-2@g.us"] ?? {}, { "b@lid": true });
    expect(own.auth.keys.get("sender-key-memory", ["1-2@g.us"])).toEqual({ "1-2@g.us": { "a@lid": true } });
  });

  it("does not let a running send undo that a group's key holders were forgotten", async () => {
    const group = "1-2@g.us";
    const read = async (): Promise<Record<string, boolean>> => (await own.keys.get("sender-key-memory", [group]))[group] ?? {};
    /** As the library does: the list is read and changed first, and written once the message was passed on. */
    const send = (to: string, meanwhile: () => void = () => undefined) =>
      own.keys.transaction(async () => {
        const holders = Object.assign(await read(), { [to]: true });
        meanwhile();
        await own.keys.set({ "sender-key-memory": { [group]: holders } });
      }, "me");
    for (const to of ["first@lid", "second@lid"]) {
      await send(to, () => own.auth.forgetKeyHolders(group));
      expect(await read()).toEqual({});
    }
    await send("third@lid");
    expect(await read()).toEqual({ "third@lid": true });
    await send("fourth@lid", () => own.auth.forgetKeyHolders(group));
    expect(await read()).toEqual({});
  });

  it("starts an interrupted pairing over", () => {
    own.auth.saveCreds();
    const { creds } = new AuthState(own.store);
    expect(creds.me).toBeUndefined();
  });
});
