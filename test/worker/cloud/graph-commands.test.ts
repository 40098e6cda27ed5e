// A cloud number's Graph requests for chats, people, calls and its profile, and the resulting events.
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { ANA, ana, NOW, T0, upsert } from "../store/world.ts";
import { NUMBER, refusal, withCommands } from "./command-world.ts";

const AT = `/${NUMBER}`;
const READ = { type: "chat.updated", chat_id: ANA, unread_count: 0, marked_unread: false };
const seen = { chat_id: ANA, unread: [], range: [] };
const typing = { chat_id: ANA, state: "typing", duration_ms: 0 } as const;
/** Send time of an `upsert` event. */
const agoMs = (ms: number) => Math.floor((NOW - ms) / 1000);

describe("a chat", () => {
  it("is read up to the last incoming message, for its sender and in the store", () =>
    withCommands(async ({ apply, answers, asked, reported, run, stores }) => {
      apply(
        upsert({ message_id: "wamid.1" }),
        upsert({ message_id: "wamid.2", timestamp: T0 + 1 }),
        upsert({ from_me: true, timestamp: T0 + 2 }),
      );
      answers.push({ success: true });
      expect(await run("chats.seen", seen)).toEqual({ ok: true, value: {} });
      expect(asked).toEqual([
        {
          method: "POST",
          path: `${AT}/messages`,
          query: {},
          json: { messaging_product: "whatsapp", status: "read", message_id: "wamid.2" },
        },
      ]);
      expect(reported).toEqual([READ]);
      expect(stores.chatQueries.get(ANA)?.unread_count).toBe(0);
    }));

  it("is read only in the store if it has no incoming message", () =>
    withCommands(async ({ apply, asked, reported, run }) => {
      apply(upsert({ from_me: true }));
      expect(await run("chats.seen", seen)).toEqual({ ok: true, value: {} });
      expect(asked).toEqual([]);
      expect(reported).toEqual([READ]);
    }));

  it("stays unread if Graph refuses or does not respond", () =>
    withCommands(async ({ apply, answers, reported, run, stores }) => {
      apply(upsert());
      answers.push(refusal(131_009));
      expect(await run("chats.seen", seen)).toEqual({
        ok: false,
        failure: { code: "network_error", details: { network_code: 131_009 }, attempted: true },
      });
      expect(await run("chats.seen", seen)).toEqual({ ok: false, failure: { code: "network_timeout" } });
      expect(reported).toEqual([]);
      expect(stores.chatQueries.get(ANA)?.unread_count).toBe(1);
    }));
});

describe("typing", () => {
  it("is shown by reading the last message, also in the store", () =>
    withCommands(async ({ apply, answers, asked, reported, run }) => {
      apply(upsert({ message_id: "wamid.1", timestamp: agoMs(DAY_MS - HOUR_MS) }));
      answers.push({ success: true });
      expect(await run("chats.typing", typing)).toEqual({ ok: true, value: {} });
      expect(asked.map(({ json }) => json)).toEqual([
        { messaging_product: "whatsapp", status: "read", message_id: "wamid.1", typing_indicator: { type: "text" } },
      ]);
      expect(reported).toEqual([READ]);
    }));

  it("finds the chat under the network's format of the number", () =>
    withCommands(async ({ apply, answers, ids, run }) => {
      ids.learnSpelling("551188887777", "5511988887777");
      apply(upsert({ timestamp: T0 }));
      answers.push({ success: true });
      expect(await run("chats.typing", { ...typing, chat_id: "551188887777@c.us" })).toEqual({ ok: true, value: {} });
    }));

  it("needs a message of the last 24 hours", () =>
    withCommands(async ({ apply, asked, run }) => {
      const late = { ok: false, failure: { code: "outside_service_window" } };
      expect(await run("chats.typing", typing)).toEqual(late);
      apply(upsert({ timestamp: agoMs(DAY_MS) }));
      expect(await run("chats.typing", typing)).toEqual(late);
      expect(asked).toEqual([]);
    }));

  it.each(["recording", "paused"] as const)("supports no presence but typing: %s is refused", (state) =>
    withCommands(async ({ apply, asked, run }) => {
      apply(upsert());
      expect(await run("chats.typing", { ...typing, state })).toMatchObject({ ok: false, failure: { code: "not_supported" } });
      expect(asked).toEqual([]);
    }),
  );
});

describe("blocking", () => {
  const block = { contact_id: ANA, blocked: true };

  it("is sent to Graph, and reported", () =>
    withCommands(async ({ answers, asked, reported, run }) => {
      const changed = [{ input: `+${ana.phone}`, wa_id: ana.phone }];
      answers.push({ messaging_product: "whatsapp", block_users: { added_users: changed } });
      answers.push({ messaging_product: "whatsapp", block_users: { removed_users: changed } });
      expect(await run("contacts.block", block)).toEqual({ ok: true, value: {} });
      expect(await run("contacts.block", { ...block, blocked: false })).toEqual({ ok: true, value: {} });
      const json = { messaging_product: "whatsapp", block_users: [{ user: `+${ana.phone}` }] };
      expect(asked).toEqual([
        { method: "POST", path: `${AT}/block_users`, query: {}, json },
        { method: "DELETE", path: `${AT}/block_users`, query: {}, json },
      ]);
      expect(reported).toEqual([
        { type: "contact.updated", person: ana, is_blocked: true },
        { type: "contact.updated", person: ana, is_blocked: false },
      ]);
    }));

  it("identifies a contact without a number by id", () =>
    withCommands(async ({ answers, asked, ids, reported, run }) => {
      const person = ids.person({ user_id: "BR.123" });
      answers.push({ block_users: { added_users: [{ input: "BR.123", user_id: "BR.123" }] } });
      expect(await run("contacts.block", { ...block, contact_id: `${person?.lid}@lid` })).toEqual({ ok: true, value: {} });
      expect(asked[0]?.json).toMatchObject({ block_users: [{ user: "BR.123" }] });
      expect(reported).toEqual([{ type: "contact.updated", person, is_blocked: true }]);
    }));

  it.each([
    ["beside the error of the whole", (failed: object) => refusal(139_100, failed)],
    ["in an answer that is none", (failed: object) => failed],
  ])("fails with Graph's reason for the contact, %s", (_, answer) =>
    withCommands(async ({ answers, reported, run }) => {
      const failed_users = [
        { input: "x", errors: [{ code: "131047", message: "Re-engagement required", error_data: { details: "late" } }] },
      ];
      answers.push(answer({ block_users: { added_users: [], failed_users } }));
      expect(await run("contacts.block", block)).toEqual({
        ok: false,
        failure: { code: "outside_service_window", details: { network_code: 131_047 }, attempted: true },
      });
      expect(reported).toEqual([]);
    }),
  );

  it("does not succeed if the response names nobody", () =>
    withCommands(async ({ answers, reported, run }) => {
      answers.push({ messaging_product: "whatsapp", block_users: {} });
      expect(await run("contacts.block", block)).toEqual({ ok: false, failure: { code: "network_timeout" } });
      expect(reported).toEqual([]);
    }));

  it("makes no request about a contact unknown to Graph", () =>
    withCommands(async ({ asked, run }) => {
      expect(await run("contacts.block", { ...block, contact_id: "999999999@lid" })).toMatchObject({
        ok: false,
        failure: { code: "number_not_on_network" },
      });
      expect(asked).toEqual([]);
    }));
});

describe("the list of blocked contacts", () => {
  const page = (from: number, count: number, after?: string) => ({
    data: Array.from({ length: count }, (_, at) => ({ messaging_product: "whatsapp", wa_id: String(5_511_900_000_000 + from + at) })),
    ...(after !== undefined && { paging: { cursors: { before: "b", after } } }),
  });

  it("is read to its end", () =>
    withCommands(async ({ answers, asked, run }) => {
      answers.push(page(0, 1_000, "A"), page(1_000, 1, "B"));
      const listed = await run("contacts.blocked", {});
      expect(listed.ok && listed.value.persons).toHaveLength(1_001);
      expect(listed.ok && listed.value.persons.at(-1)).toEqual({ phone: "5511900001000", lid: null });
      expect(asked.map(({ method, path, query }) => ({ method, path, query }))).toEqual([
        { method: "GET", path: `${AT}/block_users`, query: { limit: "1000" } },
        { method: "GET", path: `${AT}/block_users`, query: { limit: "1000", after: "A" } },
      ]);
    }));

  it("is read beyond a short or empty page that names a next one", () =>
    withCommands(async ({ answers, asked, run }) => {
      const followed = (from: number, count: number, after: string) => ({
        ...page(from, count),
        paging: { cursors: { before: "b", after }, next: "https://graph.example.com/next" },
      });
      answers.push(followed(0, 3, "A"), followed(3, 0, "B"), page(3, 1, "C"));
      const listed = await run("contacts.blocked", {});
      expect(listed.ok && listed.value.persons).toHaveLength(4);
      expect(asked.map(({ query }) => query["after"])).toEqual([undefined, "A", "B"]);
    }));

  it("fails if a page is missing", () =>
    withCommands(async ({ answers, run }) => {
      answers.push(page(0, 1_000, "A"), refusal(4));
      expect(await run("contacts.blocked", {})).toEqual({
        ok: false,
        failure: { code: "network_rate_limited", retryAfter: 60, details: { network_code: 4 } },
      });
    }));
});

describe("a call", () => {
  const call = { call_id: "wacid.1", from: ana };

  it("is rejected by its id, without an event", () =>
    withCommands(async ({ answers, asked, reported, run }) => {
      answers.push({ success: true });
      expect(await run("calls.reject", call)).toEqual({ ok: true, value: {} });
      const json = { messaging_product: "whatsapp", call_id: "wacid.1", action: "reject" };
      expect(asked).toEqual([{ method: "POST", path: `${AT}/calls`, query: {}, json }]);
      expect(reported).toEqual([]);
    }));

  it("cannot be rejected after it has ended", () =>
    withCommands(async ({ answers, run }) => {
      answers.push(refusal(138_003));
      expect(await run("calls.reject", call)).toMatchObject({ ok: false, failure: { code: "call_ended", attempted: true } });
    }));
});

describe("the profile", () => {
  const profile = {
    about: "Aberto",
    address: "Rua 1",
    description: "Loja",
    email: "loja@example.com",
    profile_picture_url: "https://pps.example.com/p.jpg",
    websites: ["https://loja.example.com"],
    vertical: "RETAIL",
    messaging_product: "whatsapp",
  };
  const read = {
    ok: true,
    value: {
      about: "Aberto",
      picture: { media: { token: profile.profile_picture_url, mimetype: "image/jpeg" }, stored_at: NOW },
      business: { description: "Loja", email: "loja@example.com", websites: profile.websites, address: "Rua 1", category: "RETAIL" },
    },
  };

  it.each([
    ["as Meta's guides have it", [profile]],
    ["as Meta's file has it", [{ business_profile: profile }]],
  ])("is read %s, and a changed name is reported", (_, data) =>
    withCommands(async ({ answers, asked, reported, run }) => {
      const answer = ({ path }: { path: string }) => (path === AT ? { id: NUMBER, verified_name: "Loja da Ana" } : { data });
      answers.push(answer, answer);
      expect(await run("profile.get", {})).toEqual(read);
      expect(asked).toEqual([
        {
          method: "GET",
          path: `${AT}/whatsapp_business_profile`,
          query: { fields: "about,address,description,email,profile_picture_url,websites,vertical" },
          json: null,
        },
        { method: "GET", path: AT, query: { fields: "verified_name" }, json: null },
      ]);
      expect(reported).toEqual([{ type: "profile.updated", name: "Loja da Ana" }]);
    }),
  );

  it("may be empty", () =>
    withCommands(async ({ answers, reported, run }) => {
      const answer = ({ path }: { path: string }) =>
        path === AT ? { id: NUMBER, verified_name: "Loja" } : { data: [{ messaging_product: "whatsapp" }] };
      answers.push(answer, answer);
      const business = { description: null, email: null, websites: [], address: null, category: null };
      expect(await run("profile.get", {})).toEqual({ ok: true, value: { about: null, picture: null, business } });
      expect(reported).toEqual([]);
    }));

  it("gets a new text, and a new picture by upload", () =>
    withCommands(async ({ answers, asked, run }) => {
      answers.push({ success: true }, { success: true });
      expect(await run("profile.about", { about: "Volto já" })).toEqual({ ok: true, value: {} });
      const picture = { token: "t", mimetype: "image/jpeg", filename: null, size: 9 };
      expect(await run("profile.picture", { picture })).toEqual({ ok: true, value: {} });
      expect(asked).toEqual([
        { method: "POST", path: `${AT}/whatsapp_business_profile`, query: {}, json: { messaging_product: "whatsapp", about: "Volto já" } },
        {
          method: "POST",
          path: `${AT}/whatsapp_business_profile`,
          query: {},
          json: { messaging_product: "whatsapp", profile_picture_handle: "4::handle" },
        },
      ]);
    }));

  it("refuses an empty text, and keeps a picture", () =>
    withCommands(async ({ asked, run }) => {
      expect(await run("profile.about", { about: "" })).toMatchObject({ ok: false, failure: { code: "limit_of_kind" } });
      expect(await run("profile.picture", { picture: null })).toMatchObject({ ok: false, failure: { code: "not_supported" } });
      expect(asked).toEqual([]);
    }));
});

it("credentials refused by Graph are verified again", () =>
  withCommands(async ({ answers, doubts, run }) => {
    answers.push(refusal(190));
    expect(await run("profile.about", { about: "x" })).toMatchObject({ ok: false, failure: { code: "network_error" } });
    expect(doubts()).toBe(1);
    answers.push(refusal(131_026));
    await run("profile.about", { about: "x" });
    expect(doubts()).toBe(1);
  }));

it("a number without credentials makes no request", () =>
  withCommands(async ({ asked, context, run }) => {
    Object.assign(context, { number: () => null });
    expect(await run("profile.about", { about: "x" })).toEqual({ ok: false, failure: { code: "instance_not_connected" } });
    expect(asked).toEqual([]);
  }));
