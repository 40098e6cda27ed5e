// How an account status affects an open send, a completed send, a send without a known id, and a message that is not ours.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { CloudSends } from "#root/durable-objects/connection/cloud/sends.ts";
import type { CloudStatus } from "@gateway/domain/cloud/changes.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { OTHER } from "../fakes/connection.ts";

const CHAT = `${OTHER}@c.us`;
const NOW = Date.UTC(2030, 0, 1);
const WEEK_DAYS = 7;

function requestOf(messageId: string, change: Partial<SendRequest> = {}): SendRequest {
  return {
    message_id: messageId,
    chat_id: CHAT,
    content: { kind: "text", text: "hello", preview: null },
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: null,
    ...change,
  };
}

function statusOf(wamid: string, status: CloudStatus["status"], change: Partial<CloudStatus> = {}): CloudStatus {
  const recipient = { phone: OTHER, lid: null };
  return { wamid, status, messageId: null, recipient, participant: null, chatId: CHAT, errors: [], timestamp: 1_900_000_000, ...change };
}

type World = {
  sends: CloudSends;
  open: Map<string, SendRequest>;
  spellings: string[];
  doubt: ReturnType<typeof vi.fn>;
  /** Events caused by a status, without their keys. */
  told(status: CloudStatus, now?: number): NetworkEvent[];
  rows(): Record<string, SqlStorageValue>[];
  /** Adds rows of this time. */
  fill(count: number, wroteAt: number): void;
};

function inObject(test: (world: World) => void, retentionDays: number | null = 30): Promise<void> {
  const stub = env.CONNECTION.getByName(crypto.randomUUID());
  return runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const open = new Map<string, SendRequest>();
    const spellings: string[] = [];
    const doubt = vi.fn();
    const sends = new CloudSends({
      sql,
      open: (id) => open.get(id) ?? null,
      retentionDays: () => retentionDays,
      learnSpelling: (asked, waId) => spellings.push(`${asked} ${waId}`),
      doubt,
    });
    const told = (status: CloudStatus, now = NOW) => sends.statusEvents(status, now).map(({ event }) => event);
    const rows = () => sql.exec("SELECT message_id, wamid FROM cloud_sends").toArray();
    const fill = (count: number, wroteAt: number) => {
      const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
      sql.exec(`${numbers} INSERT INTO cloud_sends (message_id, wrote_at) SELECT 'B' || i, ?2 FROM n`, count, wroteAt);
    };
    test({ sends, open, spellings, doubt, told, rows, fill });
  });
}

/** A message in progress. */
function underway({ sends, open }: World, request: SendRequest): void {
  open.set(request.message_id, request);
  sends.mark(request, NOW);
}

describe("a status with our own id in it", () => {
  it("acknowledges an open send, and assigns Graph's id to it", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      const [settled, status] = world.told(statusOf("wamid.1", "delivered", { messageId: "A1" }));
      expect(settled).toMatchObject({
        type: "send.settled",
        message_id: "A1",
        outcome: { kind: "acknowledged", timestamp: 1_900_000_000, message: { message_id: "A1", chat_id: CHAT, text: "hello" } },
      });
      expect(status).toMatchObject({ type: "message.status", chat_id: CHAT, message_id: "A1", status: "delivered" });
      expect(world.sends.wamidOf("A1")).toBe("wamid.1");
      expect(world.sends.messageIdOf("wamid.1")).toBe("A1");
      world.open.clear();
      expect(world.told(statusOf("wamid.1", "sent"))).toEqual([]);
      expect(world.told(statusOf("wamid.1", "read"))).toMatchObject([{ type: "message.status", status: "read" }]);
    }));

  const failure = { code: "number_not_on_network", details: { network_code: 131_026 } };
  const failed = statusOf("wamid.1", "failed", { messageId: "A1", errors: [{ code: 131_026, subcode: null }] as CloudStatus["errors"] });

  it("refuses a send with a lost response if it says failed, and only updates a send that was accepted", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      world.sends.ended("A1");
      expect(world.told(failed)).toMatchObject([{ type: "send.settled", message_id: "A1", outcome: { kind: "refused", failure } }]);
      world.open.clear();
      expect(world.told(failed)).toMatchObject([{ type: "message.status", message_id: "A1", status: "failed", failure }]);
      expect(world.doubt).not.toHaveBeenCalled();
    }));

  it("is reported after the acceptance if it says failed before the response arrived", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      expect(world.told(failed)).toMatchObject([
        { type: "send.settled", message_id: "A1", outcome: { kind: "acknowledged", message: { text: "hello" } } },
        { type: "message.status", message_id: "A1", status: "failed", failure },
      ]);
      world.open.clear();
      expect(world.sends.accepted("A1", "wamid.1", NOW)).toEqual([]);
    }));

  it("is ignored for a message that this connection did not send, or with another id", () =>
    inObject((world) => {
      expect(world.told(statusOf("wamid.1", "delivered", { messageId: "A1" }))).toEqual([]);
      underway(world, requestOf("A1"));
      world.sends.accepted("A1", "wamid.1", NOW);
      expect(world.told(statusOf("wamid.2", "failed", { messageId: "A1" }))).toEqual([]);
      expect(world.sends.wamidOf("A1")).toBe("wamid.1");
    }));

  it("teaches the network's format of the number, and its chat", () =>
    inObject((world) => {
      underway(world, requestOf("A1", { chat_id: "5511900000002@c.us" }));
      const spelled = { recipient: { phone: "551100000002", lid: null }, chatId: "551100000002@c.us", messageId: "A1" };
      const outcome = { to_resolved: "551100000002", message: { chat_id: "551100000002@c.us" } };
      expect(world.told(statusOf("wamid.1", "sent", spelled))).toMatchObject([{ type: "send.settled", outcome }]);
      expect(world.spellings).toEqual(["5511900000002 551100000002"]);
    }));
});

describe("a failure status", () => {
  it("has one key per reason: its repetition is a duplicate, but the same status with a reason is not", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      world.sends.accepted("A1", "wamid.1", NOW);
      world.open.clear();
      const errors = [{ code: 131_047, subcode: null }] as CloudStatus["errors"];
      const keys = [{}, { errors }, {}, { errors }].flatMap((change) =>
        world.sends.statusEvents(statusOf("wamid.1", "failed", change), NOW).map(({ key }) => key),
      );
      expect([new Set(keys).size, keys[2], keys[3]]).toEqual([2, keys[0], keys[1]]);
    }));
});

describe("a status without our id", () => {
  it("waits for the response with its message id while one is expected", () =>
    inObject((world) => {
      expect(world.told(statusOf("wamid.0", "failed"))).toEqual([]);
      underway(world, requestOf("A1"));
      expect(world.told(statusOf("wamid.1", "delivered"))).toEqual([]);
      expect(world.told(statusOf("wamid.1", "read"))).toEqual([]);
      world.open.clear();
      const later = world.sends.accepted("A1", "wamid.1", NOW).map(({ event }) => event);
      expect(later).toMatchObject([{ status: "delivered" }, { status: "read" }]);
      expect(world.sends.accepted("A1", "wamid.0", NOW)).toEqual([]);
    }));

  it("waits for its response even among many statuses of another app", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      for (let at = 0; at < 1_500; at++) world.told(statusOf(`wamid.theirs${at}`, "delivered"));
      for (let times = 0; times < 3; times++) world.told(statusOf("wamid.1", "failed"));
      world.open.clear();
      expect(world.sends.accepted("A1", "wamid.1", NOW).map(({ event }) => event)).toMatchObject([{ status: "failed" }]);
      expect(world.sends.accepted("A1", "wamid.theirs0", NOW)).toEqual([]);
    }));

  it("belongs to another app once no response is expected", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      world.told(statusOf("wamid.1", "failed"));
      world.sends.ended("A1");
      underway(world, requestOf("A2"));
      expect(world.sends.accepted("A2", "wamid.1", NOW)).toEqual([]);
    }));
});

describe("a status of a reaction", () => {
  it("settles the reaction without an event", () =>
    inObject((world) => {
      const target = { chat_id: CHAT, message_id: "wamid.9", from_me: false, participant: null };
      underway(world, requestOf("R1", { content: { kind: "reaction", target, reaction: "👍" } }));
      expect(world.told(statusOf("wamid.1", "delivered", { messageId: "R1" }))).toMatchObject([
        { type: "send.settled", message_id: "R1", outcome: { kind: "acknowledged", message: { type: "reaction" } } },
      ]);
      world.open.clear();
      expect(world.told(statusOf("wamid.1", "failed"))).toEqual([]);
    }));
});

describe("a status of a group", () => {
  it("identifies its participant, and has one key per participant", () =>
    inObject((world) => {
      const chatId = "120363000000000000@g.us";
      underway(world, requestOf("G1", { chat_id: chatId }));
      world.sends.accepted("G1", "wamid.1", NOW);
      world.open.clear();
      const readBy = (phone: string) => statusOf("wamid.1", "read", { chatId, recipient: null, participant: { phone, lid: null } });
      const events = [readBy("5511900000003"), readBy("5511900000004"), readBy("5511900000003")].flatMap((status) =>
        world.sends.statusEvents(status, NOW),
      );
      expect(events[0]?.event).toMatchObject({ chat_id: chatId, participant: { phone: "5511900000003" } });
      expect(new Set(events.map(({ key }) => key)).size).toBe(2);
    }));
});

describe("Graph's message ids", () => {
  it("are kept as long as messages, at least a month", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      world.sends.mark(requestOf("A2"), NOW + 30 * DAY_MS);
      expect(world.rows()).toHaveLength(2);
      world.sends.mark(requestOf("A3"), NOW + 32 * DAY_MS);
      expect(world.rows().map(({ message_id }) => message_id)).toEqual(["A2", "A3"]);
    }, WEEK_DAYS));

  it("are deleted by a busy number as fast as it stores them", () =>
    inObject((world) => {
      world.fill(12_500, NOW);
      const ids = Array.from({ length: 20 }, (_, n) => `A${n}`);
      for (const id of ids) world.sends.mark(requestOf(id), NOW + 32 * DAY_MS);
      expect(world.rows()).toHaveLength(ids.length);
    }, WEEK_DAYS));

  it("follow a send that is retried", () =>
    inObject((world) => {
      underway(world, requestOf("A1"));
      world.sends.accepted("A1", "wamid.1", NOW);
      expect(world.sends.isMarked("A1")).toBe(true);
      world.sends.unmark("A1");
      expect(world.sends.isMarked("A1")).toBe(false);
      expect(world.sends.messageIdOf("wamid.1")).toBeNull();
    }));
});
