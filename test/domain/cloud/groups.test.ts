import { describe, expect, it } from "vitest";
import { type ChangeItem, readChange } from "@gateway/domain/cloud/changes.ts";
import { KeyedEvent } from "@gateway/protocol/events.ts";
import { ANA, BSUID, idsInMemory, ME } from "./worlds.ts";

const NOW = Date.parse("2026-01-15T12:00:00Z");
const AT = NOW / 1000 - 5;
const CHAT = "120363000001@g.us";
const ME_THERE = { phone: ME, lid: null };

type Fields = Record<string, unknown>;

function read(field: string, ...groups: Fields[]): ChangeItem[] {
  const items = readChange(
    field,
    { messaging_product: "whatsapp", groups: groups.map((group) => ({ timestamp: String(AT), group_id: "Y2FwaQ", ...group })) },
    idsInMemory(),
    NOW,
  );
  for (const item of items) if (item.kind === "event") KeyedEvent.parse(item.event);
  return items;
}
const events = (items: ChangeItem[]) => items.flatMap((item) => (item.kind === "event" ? [item.event.event] : []));
const keys = (items: ChangeItem[]) => items.flatMap((item) => (item.kind === "event" ? [item.event.key] : []));

describe("a group", () => {
  const made = { type: "group_create", request_id: "r1", subject: "Festa", join_approval_mode: "approval_required" };

  it("is reported in full once it was made, and answers its creator last", () => {
    const items = read("group_lifecycle_update", made);
    expect(events(items)).toMatchObject([
      { type: "group.participants", action: "join", participants: [{ person: ME_THERE, is_me: true }], reason: "created" },
      {
        type: "group.snapshot",
        group: {
          group_id: CHAT,
          subject: "Festa",
          description: null,
          owner: ME_THERE,
          created_at: AT,
          settings: { join_approval: true, messages_admins_only: false, members_can_add: false },
          participants: [{ person: ME_THERE, role: "superadmin" }],
        },
      },
    ]);
    expect(items.at(-1)).toEqual({ kind: "request", requestId: "r1", chatId: CHAT, outcome: { errors: [], failed: [] } });
  });

  it("is reported only to its creator if it could not be created", () => {
    const error = { code: 131_215, title: "Groups are not available" };
    expect(read("group_lifecycle_update", { ...made, group_id: undefined, errors: [error] })).toMatchObject([
      { kind: "request", requestId: "r1", chatId: null, outcome: { errors: [{ code: 131_215 }] } },
    ]);
    expect(read("group_lifecycle_update", { ...made, errors: [error] })).toMatchObject([{ kind: "request", chatId: CHAT }]);
  });

  it("is removed once it was deleted", () => {
    expect(events(read("group_lifecycle_update", { type: "group_delete", request_id: "r2" }))).toEqual([
      { type: "group.removed", group_id: CHAT },
    ]);
  });

  it.each([
    [
      "joins by the link",
      { type: "group_participants_add", added_participants: [{ wa_id: ANA, user_id: BSUID }] },
      "join",
      "invite_link",
      null,
    ],
    [
      "joins as approved",
      { type: "group_participants_add", reason: "join_request", added_participants: [{ wa_id: ANA }] },
      "join",
      "request_approved",
      null,
    ],
    [
      "leaves",
      { type: "group_participants_remove", initiated_by: "participant", removed_participants: [{ wa_id: ANA }] },
      "leave",
      "left",
      null,
    ],
    [
      "is removed",
      { type: "group_participants_remove", initiated_by: "business", removed_participants: [{ wa_id: ANA }] },
      "leave",
      "removed",
      ME_THERE,
    ],
    [
      "is removed, as asked",
      { type: "group_remove_participants", request_id: "r3", removed_participants: [{ input: 5511987654321 }] },
      "leave",
      "removed",
      ME_THERE,
    ],
  ])("reports that somebody %s", (_, change, action, reason, by) => {
    expect(events(read("group_participants_update", change))).toMatchObject([
      {
        type: "group.participants",
        chat_id: CHAT,
        action,
        reason,
        by,
        participants: [{ person: { phone: ANA }, is_me: false }],
        timestamp: AT,
      },
    ]);
  });

  it("is removed once the number itself has left", () => {
    const left = { type: "group_participants_remove", initiated_by: "participant", removed_participants: [{ wa_id: ME }] };
    expect(events(read("group_participants_update", left))).toMatchObject([
      { type: "group.participants", participants: [{ is_me: true }] },
      { type: "group.removed", group_id: CHAT },
    ]);
  });

  it("reports those of its settings that were applied", () => {
    const settings = {
      type: "group_settings_update",
      request_id: "r4",
      group_subject: { text: "Festa!", update_successful: true },
      group_description: { text: "à noite", update_successful: false, errors: [{ code: 131_009 }] },
      profile_picture: { mime_type: "image/jpeg", sha256: "x", update_successful: true },
    };
    const items = read("group_settings_update", settings);
    expect(events(items)).toEqual([
      { type: "group.updated", chat_id: CHAT, by: ME_THERE, changed: { subject: "Festa!", picture_changed: true }, timestamp: AT },
    ]);
    expect(items.at(-1)).toMatchObject({ kind: "request", requestId: "r4", outcome: { errors: [{ code: 131_009 }] } });
    // This event has the shape of Meta's OpenAPI file.
    expect(events(read("group_settings_update", { type: "group_settings_update", subject: "Outra" }))).toMatchObject([
      { changed: { subject: "Outra" } },
    ]);
  });

  it("reports people of the same second separately, and the same change once", () => {
    const join = (wa_id: string) => ({ type: "group_participants_add", added_participants: [{ wa_id }] });
    const [ana, bia, again] = keys(read("group_participants_update", join(ANA), join("5511988887777"), join(ANA)));
    expect(ana).not.toBe(bia);
    expect(again).toBe(ana);
  });

  it.each([["group_join_request_created"], ["group_suspend"], ["something_newer"]])("ignores the change %s", (type) => {
    expect(read("group_status_update", { type })).toEqual([{ kind: "ignored", field: "group_status_update", reason: type }]);
  });
});
