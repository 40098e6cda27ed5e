import { expect, it } from "vitest";
import { currentPresence } from "@gateway/domain/chats/presence.ts";
import type { PresenceRecord } from "@gateway/protocol/records.ts";

const NOW = 1_760_000_000_000;
const typing: PresenceRecord = {
  chat_id: "5511900000002@c.us",
  presence: "typing",
  last_seen: 1_759_999_000,
  participants: [],
  updated_at: NOW - 5_000,
  subscribed: true,
};
const somebody = { phone: "5511900000003", lid: null };

it("a chat shows typing for as long as the network's own clients do", () => {
  expect(currentPresence(typing, true, NOW).presence).toBe("typing");
  expect(currentPresence(typing, true, NOW + 30_000).presence).toBe("online");
  expect(currentPresence({ ...typing, presence: "offline" }, true, NOW + 3_600_000).presence).toBe("offline");
  const group = { ...typing, presence: "unknown" as const, participants: [{ person: somebody, presence: "recording" as const }] };
  expect(currentPresence(group, true, NOW + 30_000).participants).toEqual([{ person: somebody, presence: "online" }]);
});

it("presence is unknown while the number is not connected, except for last_seen", () => {
  const group = { ...typing, participants: [{ person: somebody, presence: "online" as const }] };
  expect(currentPresence(group, false, NOW)).toEqual({
    ...group,
    presence: "unknown",
    participants: [{ person: somebody, presence: "unknown" }],
  });
});
