// Group changes from webhooks, and the outcome of changes requested by the number.
import { describe, expect, it } from "vitest";
import type { ChangeItem } from "@gateway/domain/cloud/change-items.ts";
import { readChange } from "@gateway/domain/cloud/changes.ts";
import { ANA, BSUID, idsInMemory, ME } from "./worlds.ts";

const AT = 1_760_000_000;
const OTHER = "5511977776666";
const me = { phone: ME, lid: null };
const ana = { phone: ANA, lid: null };
const CHAT = "120363000001@g.us";

function changed(field: string, group: object): ChangeItem[] {
  const groups = [{ timestamp: String(AT), group_id: "Y2FwaQ", ...group }];
  return readChange(field, { messaging_product: "whatsapp", groups }, idsInMemory(), AT * 1000);
}

const eventsIn = (items: ChangeItem[]) => items.flatMap((item) => (item.kind === "event" ? [item.event.event] : []));
const outcomes = (items: ChangeItem[]) => items.flatMap((item) => (item.kind === "request" ? [[item.requestId, item.outcome]] : []));
const fine = { errors: [], failed: [] };

describe("a group", () => {
  it("is reported with the number in it, before its request ends, once it was created", () => {
    const items = changed("group_lifecycle_update", {
      type: "group_create",
      request_id: "R1",
      subject: "Equipe",
      invite_link: "https://chat.example.com/x",
      join_approval_mode: "approval_required",
    });
    expect(items.map(({ kind }) => kind)).toEqual(["event", "event", "request"]);
    expect(eventsIn(items)).toMatchObject([
      { type: "group.participants", chat_id: CHAT, action: "join", participants: [{ person: me, is_me: true }], reason: "created" },
      {
        type: "group.snapshot",
        group: {
          group_id: CHAT,
          subject: "Equipe",
          owner: me,
          settings: { join_approval: true },
          participants: [{ person: me, role: "superadmin" }],
        },
      },
    ]);
    expect(outcomes(items)).toEqual([["R1", fine]]);
  });

  it("only ends its request if it could not be created", () => {
    const errors = [{ code: 131_201, title: "No", message: "No", error_data: { details: "x" } }];
    const items = changed("group_lifecycle_update", { type: "group_create", group_id: undefined, request_id: "R1", errors });
    expect(items).toEqual([
      {
        kind: "request",
        requestId: "R1",
        chatId: null,
        outcome: { errors: [{ code: 131_201, subcode: null, type: null, traceId: null }], failed: [] },
      },
    ]);
  });

  it("is removed once it was deleted", () => {
    const items = changed("group_lifecycle_update", { type: "group_delete", request_id: "R1" });
    expect(eventsIn(items)).toEqual([{ type: "group.removed", group_id: CHAT }]);
    expect(outcomes(items)).toEqual([["R1", fine]]);
  });
});

describe("the people of a group", () => {
  it("join by its link", () => {
    const items = changed("group_participants_update", {
      type: "group_participants_add",
      reason: "invite_link",
      added_participants: [{ wa_id: ANA }],
    });
    expect(eventsIn(items)).toEqual([
      {
        type: "group.participants",
        chat_id: CHAT,
        action: "join",
        participants: [{ person: ana, is_me: false }],
        by: null,
        reason: "invite_link",
        timestamp: AT,
      },
    ]);
  });

  it("are named by their id if they have no number", () => {
    const items = changed("group_participants_update", {
      type: "group_participants_add",
      added_participants: [{ input: BSUID, user_id: BSUID }],
    });
    expect(eventsIn(items)).toMatchObject([{ participants: [{ person: { phone: null } }] }]);
  });

  it("are removed as far as possible, and the others are named", () => {
    const items = changed("group_participants_update", {
      type: "group_participants_remove",
      request_id: "R1",
      removed_participants: [{ input: `+${ANA}`, wa_id: ANA }],
      failed_participants: [{ input: `+${OTHER}`, errors: [{ code: 131_206, message: "No" }] }, { errors: [] }],
      errors: [{ code: 131_205, message: "Some" }],
    });
    expect(eventsIn(items)).toMatchObject([{ action: "leave", participants: [{ person: ana }], by: me, reason: "removed" }]);
    expect(outcomes(items)).toEqual([["R1", { errors: [], failed: [{ input: `+${OTHER}`, code: 131_206 }] }]]);
  });

  it("remain if none could be removed", () => {
    const items = changed("group_participants_update", {
      type: "group_participants_remove",
      request_id: "R1",
      failed_participants: [{ input: ANA, errors: [{ code: 131_204 }] }],
      errors: [{ code: 131_204, message: "No" }],
    });
    expect(eventsIn(items)).toEqual([]);
    expect(outcomes(items)).toEqual([
      ["R1", { errors: [{ code: 131_204, subcode: null, type: null, traceId: null }], failed: [{ input: ANA, code: 131_204 }] }],
    ]);
  });
});

it("a setting that was not applied is not reported, and ends its request with the reason", () => {
  const items = changed("group_settings_update", {
    type: "group_settings_update",
    request_id: "R1",
    group_subject: { text: "Time", update_successful: false, errors: [{ code: 131_210, message: "No" }] },
    group_description: { text: "Novo", update_successful: true },
  });
  expect(eventsIn(items)).toMatchObject([{ type: "group.updated", changed: { description: "Novo" } }]);
  expect(outcomes(items)).toMatchObject([["R1", { errors: [{ code: 131_210 }] }]]);
});
