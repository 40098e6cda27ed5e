import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { Admission } from "#root/durable-objects/connection/admission/admission.ts";
import type { RunOperation } from "#root/durable-objects/shared/gate/gate.ts";
import { MIGRATIONS } from "#root/durable-objects/connection/schema.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { EXACT_LIMITS } from "@gateway/domain/limits.ts";
import type { Env } from "#root/src/env.ts";
import { DEFAULT_INSTANCE_SETTINGS } from "@gateway/protocol/instance-settings.ts";
import type { Call, CallResult, ConnectionRecord } from "@gateway/protocol/connection.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

const { CONNECTION } = env as unknown as Env;
const START = 1_900_000_000_000;

type World = { admission: Admission; restart(): Admission; record: ConnectionRecord; sql: SqlStorage };

/** A new connection with the key `hash-1`; `restart` creates a new object over the same storage. */
function inWorld(test: (world: World) => Promise<void>): Promise<void> {
  return runInDurableObject(CONNECTION.get(CONNECTION.newUniqueId()), async (_object, state) => {
    migrate(state.storage, MIGRATIONS);
    const record: ConnectionRecord = {
      revision: 0,
      id: 1,
      uuid: "u",
      owner_id: "o",
      name: "n",
      kind: "session",
      owner_suspended: false,
      subscription_active: true,
      subscription_status: "active",
      subscription_period_end: null,
      settings: DEFAULT_INSTANCE_SETTINGS,
      proxy_url: null,
      home: null,
    };
    const open = () => new Admission(state.storage.sql, () => record, EXACT_LIMITS);
    const admission = open();
    admission.keys.create({ name: "first", prefix: "svc_1", hash: "hash-1" }, "key-1", START);
    await test({ admission, restart: open, record, sql: state.storage.sql });
  });
}

const aCall: Call = {
  caller: { kind: "connection_key", hash: "hash-1" },
  requestId: "r",
  method: "GET",
  route: "/chats",
  query: "",
  idempotencyKey: null,
  fingerprint: "f",
  flags: { mutating: false, counted: true, cached: false },
  operation: "chats.list",
  input: "{}",
  rejected: null,
};
const aSend: Call = {
  ...aCall,
  method: "POST",
  route: "/messages/text",
  flags: { mutating: true, counted: false, cached: false },
  operation: "messages.send",
  idempotencyKey: "value-1",
};
const succeed: RunOperation = async () => ({ ok: true, value: "{}" });
const differs = { ok: false, failure: { code: "content_differs" } };
const codeOf = (answer: CallResult) => (answer.ok ? "ok" : answer.failure.code);

describe("the order of checks", () => {
  it("asks callers of the account for a subscription only where the operation needs one", () =>
    inWorld(async ({ admission, record }) => {
      record.subscription_active = false;
      const caller = { kind: "account", subject: "user:1", role: "owner" } as const;
      const answerOf = async (operation: string) =>
        codeOf(await admission.perform({ ...aCall, caller, operation, idempotencyKey: null }, succeed, START));
      expect(await answerOf("messages.send")).toBe("subscription_required");
      expect(await answerOf("instance.connect")).toBe("subscription_required");
      expect(await answerOf("instance.disconnect")).toBe("ok");
      record.subscription_active = true;
      expect(await answerOf("messages.send")).toBe("ok");
    }));

  it("refuses a key that is not active before anything else", () =>
    inWorld(async ({ admission, record }) => {
      record.subscription_active = false;
      const unknown = { ...aCall, caller: { kind: "connection_key", hash: "other" }, operation: null } as const;
      expect(codeOf(await admission.perform(unknown, succeed, START))).toBe("unauthorized");
      expect(codeOf(await admission.perform({ ...aCall, operation: null }, succeed, START))).toBe("subscription_required");
      record.subscription_active = true;
      expect(codeOf(await admission.perform({ ...aCall, operation: null }, succeed, START))).toBe("route_not_found");
      expect(codeOf(await admission.perform({ ...aCall, rejected: { code: "invalid_json" } }, succeed, START))).toBe("invalid_json");
    }));

  it("does not let a key perform the owner's operations", () =>
    inWorld(async ({ admission }) => {
      const create = { ...aSend, idempotencyKey: null, operation: "keys.create" };
      expect(codeOf(await admission.perform(create, succeed, START))).toBe("forbidden");
      const owner = { ...create, caller: { kind: "account", subject: "u", role: "owner" } } as const;
      expect(codeOf(await admission.perform(owner, succeed, START))).toBe("ok");
    }));

  it("refuses a revoked key at once", () =>
    inWorld(async ({ admission }) => {
      admission.keys.revoke("key-1", START);
      expect(codeOf(await admission.perform(aCall, succeed, START))).toBe("unauthorized");
    }));
});

describe("admission", () => {
  it("accepts exactly 200 of 1,000 parallel calls", () =>
    inWorld(async ({ admission }) => {
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, (_, n) => admission.perform({ ...aCall, query: `n=${n}` }, succeed, START)),
      );
      expect(answers.filter((answer) => answer.ok)).toHaveLength(200);
      const refused = answers.find((answer) => !answer.ok);
      expect(refused).toMatchObject({ failure: { code: "rate_limited", retryAfter: 10 }, limit: { limit: 200, remaining: 0 } });
      expect(codeOf(await admission.perform(aCall, succeed, START + 10_000))).toBe("ok");
    }));

  it("refuses none of 260 screened calls at 10 a second when the clock is set back ten minutes", () =>
    inWorld(async ({ admission }) => {
      for (let n = 0; n < 260; n += 1) {
        const now = START + n * 100 - (n < 130 ? 0 : 600_000);
        expect([n, admission.screen(aCall, now)]).toEqual([n, null]);
        const answer = await admission.perform({ ...aCall, query: `n=${n}` }, succeed, now);
        expect([n, codeOf(answer)]).toEqual([n, "ok"]);
        expect(answer.limit?.remaining).toBeGreaterThanOrEqual(98);
      }
    }));

  it("accepts long bodies again ten seconds after a full window, although the clock was set back", () =>
    inWorld(async ({ admission }) => {
      for (let n = 0; n < 200; n += 1) await admission.perform({ ...aCall, query: `n=${n}` }, succeed, START);
      const back = START - 600_000;
      expect(admission.screen(aCall, back)).toMatchObject({ failure: { code: "rate_limited", retryAfter: 10 } });
      expect(admission.screen(aCall, back + 10_000)).toBeNull();
    }));

  it("refuses the 61st identical read of a minute, also after hibernation", () =>
    inWorld(async ({ admission, restart }) => {
      for (let n = 0; n < 40; n += 1) await admission.perform(aCall, succeed, START + n * 100);
      const due = admission.gate.nextDue();
      expect(due).toBeLessThanOrEqual(START + 10_000);
      admission.gate.run(due ?? START);
      const awake = restart();
      const answers = [];
      for (let n = 0; n < 25; n += 1) answers.push(codeOf(await awake.perform(aCall, succeed, START + 20_000)));
      expect(answers.filter((code) => code === "ok")).toHaveLength(20);
      expect(answers.at(-1)).toBe("repeated_read");
      expect(codeOf(await awake.perform({ ...aCall, query: "limit=1" }, succeed, START + 20_000))).toBe("ok");
    }));

  it("allows three active keys, also with concurrent creation", () =>
    inWorld(async ({ admission }) => {
      const made = Array.from({ length: 10 }, (_, n) => admission.keys.create({ name: "k", prefix: "p", hash: `h${n}` }, `id${n}`, START));
      expect(made.filter((outcome) => outcome.ok)).toHaveLength(2);
      expect(made[5]).toEqual({ ok: false, failure: { code: "key_limit" } });
      admission.keys.revoke("key-1", START);
      expect(admission.keys.create({ name: "k", prefix: "p", hash: "again" }, "again", START).ok).toBe(true);
    }));

  it("writes the last use at most once a minute", () =>
    inWorld(async ({ admission, restart }) => {
      await admission.perform(aCall, succeed, START);
      await admission.perform(aCall, succeed, START + 59_000);
      expect(restart().keys.list()[0]?.last_used_at).toBe(START);
      await admission.perform(aCall, succeed, START + 60_000);
      expect(restart().keys.list()[0]?.last_used_at).toBe(START + 60_000);
    }));
});

describe("idempotency", () => {
  it("runs 50 parallel duplicates once", () =>
    inWorld(async ({ admission }) => {
      let runs = 0;
      const slow: RunOperation = async (_call, messageId) => {
        runs += 1;
        await new Promise<void>((resolve) => queueMicrotask(resolve));
        return { ok: true, value: JSON.stringify({ messageId }) };
      };
      const answers = await Promise.all(Array.from({ length: 50 }, () => admission.perform(aSend, slow, START)));
      expect(runs).toBe(1);
      expect(new Set(answers.map((answer) => answer.ok && answer.json)).size).toBe(1);
      expect(answers.filter((answer) => answer.replayed === true)).toHaveLength(49);
    }));

  it("replays the first answer for 24 hours, also after a restart, and runs the call again after that", () =>
    inWorld(async ({ admission, restart }) => {
      let sent = 0;
      const send: RunOperation = async () => ({ ok: true, value: String((sent += 1)) });
      await admission.perform(aSend, send, START);
      expect(await restart().perform(aSend, send, START + 24 * HOUR_MS - 1)).toMatchObject({ ok: true, json: "1", replayed: true });
      expect(await restart().perform({ ...aSend, fingerprint: "other" }, send, START + HOUR_MS)).toMatchObject({
        json: "1",
        mismatch: true,
      });
      expect(await restart().perform(aSend, send, START + 24 * HOUR_MS)).toMatchObject({ ok: true, json: "2" });
    }));

  it.each([
    ["media_unreachable", false],
    ["media_invalid", false],
    ["number_not_on_network", false],
    ["forbidden", false],
    ["limit_of_kind", false],
    ["message_not_found", false],
    ["invite_invalid", true],
    ["forbidden", true],
  ] as const)("stores only refusals of attempted calls: %s, %s", (code, attempted) =>
    inWorld(async ({ admission }) => {
      const refusal: Outcome<string> = { ok: false, failure: { code, ...(attempted && { attempted }) } };
      const outcomes = [refusal, { ok: true, value: "{}" } as const];
      const run: RunOperation = async () => outcomes.shift() ?? refusal;
      expect(codeOf(await admission.perform(aSend, run, START))).toBe(code);
      const again = await admission.perform(aSend, run, START);
      expect([codeOf(again), again.replayed === true]).toEqual(attempted ? [code, true] : ["ok", false]);
    }),
  );

  it("does not store the network's temporary refusals", () =>
    inWorld(async ({ admission }) => {
      const outcomes: Outcome<string>[] = [{ ok: false, failure: { code: "temporarily_blocked", attempted: true } }];
      const run: RunOperation = async () => outcomes.shift() ?? { ok: true, value: "{}" };
      expect(codeOf(await admission.perform(aSend, run, START))).toBe("temporarily_blocked");
      expect(codeOf(await admission.perform(aSend, run, START))).toBe("ok");
    }));

  it("stores the answer of an uncertain send, and frees the key of one that was never tried", () =>
    inWorld(async ({ admission }) => {
      const outcomes: Outcome<string>[] = [
        { ok: false, failure: { code: "instance_reconnecting", retryAfter: 2 } },
        { ok: false, failure: { code: "send_outcome_unknown" } },
        { ok: true, value: "too late" },
      ];
      const run: RunOperation = async () => outcomes.shift() ?? { ok: false, failure: { code: "internal_error" } };
      expect(codeOf(await admission.perform(aSend, run, START))).toBe("instance_reconnecting");
      expect(codeOf(await admission.perform(aSend, run, START))).toBe("send_outcome_unknown");
      expect(await admission.perform(aSend, run, START)).toMatchObject({ replayed: true, failure: { code: "send_outcome_unknown" } });
    }));

  it("continues with the same message id after a restart in the middle of a send", () =>
    inWorld(async ({ admission, restart }) => {
      const ids: (string | null)[] = [];
      const never: RunOperation = (_call, messageId) => {
        ids.push(messageId);
        return new Promise(() => undefined);
      };
      void admission.perform(aSend, never, START);
      const after: RunOperation = async (_call, messageId) => {
        ids.push(messageId);
        return { ok: true, value: "{}" };
      };
      await restart().perform(aSend, after, START + 1_000);
      expect(ids[0]).toMatch(/^3EB0[0-9A-F]{36}$/);
      expect(ids[1]).toBe(ids[0]);
    }));

  it.each([
    ["with another body", { fingerprint: "other", input: '{"text":"other"}' }],
    ["on another route", { fingerprint: "other", route: "/messages/image", input: '{"text":"other"}' }],
    ["that is invalid", { fingerprint: "other", rejected: { code: "invalid_json" }, input: "{}" }],
  ] as const)("continues the first call after a restart, when the same value arrives %s", (_how, change) =>
    inWorld(async ({ admission, restart }) => {
      const asked: [input: string, operation: string | null, messageId: string | null][] = [];
      const never: RunOperation = (call, messageId) => {
        asked.push([call.input, call.operation, messageId]);
        return new Promise(() => undefined);
      };
      const first = { ...aSend, input: '{"text":"first"}' };
      void admission.perform(first, never, START);
      const after: RunOperation = async (call, messageId) => {
        asked.push([call.input, call.operation, messageId]);
        return { ok: true, value: call.input };
      };
      const awake = restart();
      const [other, same] = await Promise.all([awake.perform({ ...aSend, ...change }, after, START), awake.perform(first, after, START)]);
      expect(asked).toHaveLength(2);
      expect(asked[1]).toEqual(asked[0]);
      expect(other).toMatchObject({ ok: true, json: first.input, replayed: true, mismatch: true });
      expect(same).toMatchObject({ ok: true, json: first.input, replayed: true });
      expect("mismatch" in same).toBe(false);
    }),
  );

  it("does not continue the first call for another operation, because the caller may have lost the right to the first", () =>
    inWorld(async ({ admission, restart }) => {
      const operator = { kind: "account", subject: "user:1", role: "operator" } as const;
      const first = { ...aSend, caller: operator };
      void admission.perform(first, () => new Promise(() => undefined), START);
      const asked: (string | null)[] = [];
      const run: RunOperation = async ({ operation }) => {
        asked.push(operation);
        return { ok: true, value: "{}" };
      };
      const awake = restart();
      const viewer = { ...operator, role: "viewer" } as const;
      const listens = { ...first, caller: viewer, operation: "listeners.create", fingerprint: "other" };
      for (const call of [listens, { ...listens, rejected: { code: "invalid_json" as const } }])
        expect(await awake.perform(call, run, START)).toMatchObject({ ...differs, replayed: true, mismatch: true });
      expect(codeOf(await awake.perform({ ...first, caller: viewer }, run, START))).toBe("forbidden");
      expect(asked).toEqual([]);
      expect(codeOf(await awake.perform(first, run, START))).toBe("ok");
      expect(asked).toEqual(["messages.send"]);
    }));

  it("refuses to answer another operation with the first one's result, and repeats a refusal of the network to it", () =>
    inWorld(async ({ admission, restart }) => {
      const other = { ...aSend, fingerprint: "other", operation: "chats.archive" };
      let answer = (_: { ok: true; value: string }) => undefined as void;
      const slow: RunOperation = () => new Promise((resolve) => (answer = resolve));
      const first = admission.perform(aSend, slow, START);
      const meanwhile = admission.perform(other, succeed, START);
      answer({ ok: true, value: "{}" });
      expect(codeOf(await first)).toBe("ok");
      for (const told of [await meanwhile, await restart().perform(other, succeed, START)]) {
        expect(told).toMatchObject({ ...differs, replayed: true, mismatch: true });
      }
      expect(await admission.perform({ ...other, rejected: { code: "invalid_json" } }, succeed, START)).toMatchObject(differs);
      expect(await admission.perform(aSend, succeed, START)).toMatchObject({ ok: true, replayed: true });

      const refused = { ...aSend, idempotencyKey: "value-2" };
      await admission.perform(refused, async () => ({ ok: false, failure: { code: "invite_invalid", attempted: true } }), START);
      const told = await admission.perform({ ...other, idempotencyKey: "value-2" }, succeed, START);
      expect([codeOf(told), told.mismatch]).toEqual(["invite_invalid", true]);
    }));

  it("continues with the same message id after an exception in the middle of a send", () =>
    inWorld(async ({ admission }) => {
      const ids: (string | null)[] = [];
      const breaks: RunOperation = async (_call, messageId) => {
        ids.push(messageId);
        throw new Error("broken");
      };
      await expect(admission.perform(aSend, breaks, START)).rejects.toThrow("broken");
      const other = { ...aSend, fingerprint: "other", operation: "instance.restart" };
      expect(await admission.perform(other, breaks, START + 500)).toMatchObject(differs);
      const after: RunOperation = async (_call, messageId) => {
        ids.push(messageId);
        return { ok: true, value: "{}" };
      };
      expect(await admission.perform(aSend, after, START + 1_000)).toMatchObject({ ok: true });
      expect(new Set(ids).size).toBe(1);
      expect(ids).toHaveLength(2);
      // The effect of another kind of change is unknown, but it sent nothing, so a retry may run it again.
      const change = { ...aSend, idempotencyKey: "value-2", operation: "instance.restart" };
      await expect(admission.perform(change, breaks, START)).rejects.toThrow("broken");
      expect(await admission.perform(change, after, START + 1_000)).toMatchObject({ ok: true });
    }));

  it("frees the key of an interrupted call that then fails before anything is tried", () =>
    inWorld(async ({ admission, restart }) => {
      void admission.perform(aSend, () => new Promise(() => undefined), START);
      const awake = restart();
      const other = { ...aSend, fingerprint: "other" };
      const refuse: RunOperation = async () => ({ ok: false, failure: { code: "instance_not_connected" } });
      expect(await awake.perform(other, refuse, START)).toMatchObject({ failure: { code: "instance_not_connected" }, mismatch: true });
      const answer = await awake.perform(other, succeed, START);
      expect([codeOf(answer), answer.replayed, answer.mismatch]).toEqual(["ok", undefined, undefined]);
    }));

  it("does not repeat an interrupted change that is not resumable", () =>
    inWorld(async ({ admission, restart }) => {
      const change = { ...aSend, operation: "instance.restart" };
      void admission.perform(change, () => new Promise(() => undefined), START);
      const awake = restart();
      const other = await awake.perform({ ...change, fingerprint: "other" }, succeed, START);
      expect([codeOf(other), other.mismatch]).toEqual(["send_outcome_unknown", true]);
      expect(codeOf(await awake.perform(change, succeed, START))).toBe("send_outcome_unknown");
    }));

  it.each(["", "with space", "é", "x".repeat(256)])("refuses the value %j", (value) =>
    inWorld(async ({ admission }) => {
      expect(codeOf(await admission.perform({ ...aSend, idempotencyKey: value }, succeed, START))).toBe("invalid_idempotency_key");
      expect(codeOf(await admission.perform({ ...aSend, idempotencyKey: "x".repeat(255) }, succeed, START))).toBe("ok");
    }),
  );
});

describe("the read cache", () => {
  const read = { ...aCall, flags: { mutating: false, counted: false, cached: true } };

  it("answers the same read for ten seconds with its age, and shares one call among concurrent misses", () =>
    inWorld(async ({ admission }) => {
      let reads = 0;
      const run: RunOperation = async () => ({ ok: true, value: String((reads += 1)) });
      const both = await Promise.all([admission.perform(read, run, START), admission.perform(read, run, START)]);
      expect(both).toMatchObject([{ json: "1" }, { json: "1" }]);
      expect(await admission.perform(read, run, START + 9_999)).toMatchObject({ json: "1", age: 9 });
      expect(await admission.perform(read, run, START + 10_000)).toMatchObject({ json: "2" });
      expect(await admission.perform({ ...read, flags: { ...read.flags, cached: false } }, run, START + 10_000)).toMatchObject({
        json: "3",
      });
    }));

  it("keeps no answer of a read that threw", () =>
    inWorld(async ({ admission }) => {
      let reads = 0;
      const run: RunOperation = async () => {
        if ((reads += 1) === 1) throw new Error("broken");
        return { ok: true, value: String(reads) };
      };
      await expect(admission.perform(read, run, START)).rejects.toThrow("broken");
      expect(await admission.perform(read, run, START + 1)).toMatchObject({ json: "2" });
    }));

  it("shows a caller its own change", () =>
    inWorld(async ({ admission }) => {
      let reads = 0;
      const run: RunOperation = async () => ({ ok: true, value: String((reads += 1)) });
      await admission.perform(read, run, START);
      await admission.perform({ ...aSend, idempotencyKey: null }, succeed, START + 1);
      expect(await admission.perform(read, run, START + 2)).toMatchObject({ json: "2" });
    }));
});
