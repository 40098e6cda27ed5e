// The row that stands for an undecryptable message, while its chat waits for a file.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chatEventQueueOf } from "#root/session-bridge/networks/baileys/inbound/chat-event-queue.ts";
import { cancelPlaceholder, resumePlaceholders } from "#root/session-bridge/networks/baileys/inbound/undecryptable-messages.ts";
import type { NetworkSession } from "#root/session-bridge/networks/baileys/session/session-context.ts";

const CHAT = "5511900000001@c.us";
let done: string[];
let file: PromiseWithResolvers<void>;
let session: NetworkSession;

beforeEach(() => {
  vi.useFakeTimers();
  done = [];
  file = Promise.withResolvers();
  const row = JSON.stringify({ dueAt: 0, chatId: CHAT, origin: "live", message: { message_id: "M1", from_me: false } });
  session = {
    rows: { keysOf: () => ["unread|M1"], get: () => row, put: (name: string) => void done.push(`deleted ${name}`) },
    ended: { aborted: false },
    now: () => 0,
    emit: (events: unknown[]) => void done.push(`emitted ${events.length}`),
    task: (work: () => Promise<void>) => void work(),
  } as unknown as NetworkSession;
  chatEventQueueOf(session).enqueueAfter(session, CHAT, file.promise, () => void done.push("file"));
  resumePlaceholders(session);
});
afterEach(() => void vi.useRealTimers());

const settled = () => vi.advanceTimersByTimeAsync(1);

it("a stand-in stays stored until its event is emitted, because the bridge may be killed before", async () => {
  await settled();
  expect(done).toEqual([]);
  file.resolve();
  await settled();
  expect(done).toEqual(["file", "emitted 1", "deleted unread|M1"]);
});

it("a stand-in emits nothing if the message itself arrives meanwhile", async () => {
  await settled();
  cancelPlaceholder(session, "M1");
  file.resolve();
  await settled();
  expect(done).toEqual(["deleted unread|M1", "file"]);
});
