// Mapping between Meta's ids and ours (docs/internals/cloud.md, "Ids"), in the tables of a real object.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { CloudIdTables } from "#root/durable-objects/connection/cloud/id-tables.ts";
import { Lids } from "#root/durable-objects/connection/contacts/lids.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

async function inTables(run: (tables: CloudIdTables, lids: Lids) => void, phone: () => string | null = () => null): Promise<void> {
  const connection = await TestConnection.create({ kind: "cloud_api" });
  await runInDurableObject(connection.stub, (_object, { storage: { sql } }) => {
    const lids = new Lids(sql);
    run(new CloudIdTables({ sql, lids, phone, own: () => null, known: () => null }), lids);
  });
}

it("a person with only a number has no surrogate", () =>
  inTables((tables) => {
    expect(tables.person({ wa_id: "5511900000002" })).toEqual({ phone: "5511900000002", lid: null });
    expect(tables.person({ wa_id: "+5511900000002" })).toEqual({ phone: "5511900000002", lid: null });
    expect(tables.recipientOf("5511900000002@c.us")).toEqual({ to: "+5511900000002" });
  }));

it("an entry without a valid number or id is no person", () =>
  inTables((tables) => {
    expect(tables.person({})).toBeNull();
    expect(tables.person({ wa_id: "", user_id: "" })).toBeNull();
    expect(tables.person({ wa_id: "no number" })).toBeNull();
  }));

it("a contact without a number gets a lasting surrogate, and is written to by id", () =>
  inTables((tables) => {
    const first = tables.person({ user_id: "BR.abc", username: "ana" });
    expect(first).toEqual({ phone: null, lid: expect.stringMatching(/^[1-9]\d{14}$/) as string });
    expect(tables.person({ user_id: "BR.abc" })).toEqual(first);
    expect(tables.person({ user_id: "BR.other" })?.lid).not.toBe(first?.lid);
    expect(tables.recipientOf(`${first?.lid}@lid`)).toEqual({ recipient: "BR.abc" });
    expect(tables.recipientOf("123456789012345@lid")).toBeNull();
  }));

it("a number shown later belongs to the same surrogate, even where it is omitted again", () =>
  inTables((tables) => {
    const lid = tables.person({ user_id: "BR.abc" })?.lid ?? "";
    expect(tables.person({ user_id: "BR.abc", wa_id: "5511900000002" })).toEqual({ lid, phone: "5511900000002" });
    expect(tables.person({ user_id: "BR.abc" })).toEqual({ lid, phone: "5511900000002" });
    expect(tables.recipientOf(`${lid}@lid`)).toEqual({ to: "+5511900000002" });
  }));

it("a new id with a known number is the same contact, and the newest id is used", () =>
  inTables((tables) => {
    const lid = tables.person({ user_id: "BR.abc", wa_id: "5511900000002" })?.lid ?? "";
    expect(tables.person({ user_id: "BR.new", wa_id: "5511900000002" })?.lid).toBe(lid);
    expect(tables.userIdOf(lid)).toBe("BR.new");
  }));

it("a changed number keeps the surrogate, whether the contact is named by number or id", () =>
  inTables((tables) => {
    const lid = tables.person({ user_id: "BR.abc", wa_id: "5511900000002" })?.lid ?? "";
    const byNumber = tables.moved({ phone: "5511900000002", userId: null }, { phone: "5511900000003", userId: null });
    expect(byNumber).toEqual({ lid, phone: "5511900000003" });
    const byId = tables.moved({ phone: null, userId: "BR.abc" }, { phone: "5511900000004", userId: "BR.abc" });
    expect(byId).toEqual({ lid, phone: "5511900000004" });
    expect(tables.person({ user_id: "BR.abc" })).toEqual({ lid, phone: "5511900000004" });
    // A number without any record is a new contact.
    expect(tables.moved({ phone: "5511900000007", userId: null }, { phone: "5511900000008", userId: null })).toBeNull();
  }));

it("a changed id keeps the surrogate, even if it has written already", () =>
  inTables((tables) => {
    const lid = tables.person({ user_id: "BR.abc" })?.lid ?? "";
    expect(tables.moved({ phone: null, userId: "BR.abc" }, { phone: null, userId: "BR.new" })).toBeNull();
    expect(tables.person({ user_id: "BR.new" })).toEqual({ lid, phone: null });
    expect(tables.userIdOf(lid)).toBe("BR.new");
    const other = tables.person({ user_id: "BR.late" })?.lid ?? "";
    tables.moved({ phone: null, userId: "BR.new" }, { phone: null, userId: "BR.late" });
    expect([tables.userIdOf(lid), tables.userIdOf(other)]).toEqual(["BR.new", "BR.late"]);
  }));

it("a group has its own digits, in both directions", () =>
  inTables((tables) => {
    const chatId = tables.group("Y2FwaV9ncm91cDox");
    expect(chatId).toMatch(/^[1-9]\d{17}@g\.us$/);
    expect(tables.group("Y2FwaV9ncm91cDox")).toBe(chatId);
    expect(tables.group("Y2FwaV9ncm91cDoy")).not.toBe(chatId);
    expect(tables.groupIdOf(chatId)).toBe("Y2FwaV9ncm91cDox");
    expect(tables.recipientOf(chatId)).toEqual({ group: "Y2FwaV9ncm91cDox" });
    expect(tables.recipientOf("999999999999999999@g.us")).toBeNull();
    expect(tables.recipientOf("123456@newsletter")).toBeNull();
  }));

it("a learnt format is used until the network reports another", () =>
  inTables((tables) => {
    expect(tables.spelled("4915112345678")).toBe("4915112345678");
    tables.learnSpelling("4915112345678", "4915187654321");
    expect(tables.spelled("4915112345678")).toBe("4915187654321");
    expect(tables.recipientOf("4915112345678@c.us")).toEqual({ to: "+4915187654321" });
    tables.learnSpelling("4915112345678", "4915112345678");
    expect(tables.spelled("4915112345678")).toBe("4915112345678");
    tables.learnSpelling("4915112345678", "nonsense");
    expect(tables.spelled("4915112345678")).toBe("4915112345678");
  }));

describe.each([
  ["Brazil", "5511987654321", "551187654321"],
  ["Mexico", "5215512345678", "525512345678"],
  ["Argentina", "5491123456789", "541123456789"],
])("a mobile number of %s", (_country, long, short) => {
  it.each([
    [long, short],
    [short, long],
  ])("stays %s when Meta calls it %s later", (first, later) =>
    inTables((tables) => {
      expect(tables.person({ wa_id: first })).toEqual({ phone: first, lid: null });
      expect(tables.person({ wa_id: `+${later}` })).toEqual({ phone: first, lid: null });
      tables.learnSpelling(first, later);
      for (const asked of [first, later]) expect(tables.recipientOf(`${asked}@c.us`)).toEqual({ to: `+${first}` });
    }),
  );

  it("belongs to one person in both spellings, also when it changes", () =>
    inTables((tables) => {
      const person = tables.person({ user_id: "BR.abc", wa_id: long });
      expect(tables.person({ user_id: "BR.abc", wa_id: short })).toEqual(person);
      expect(tables.moved({ phone: short, userId: null }, { phone: "4915112345678", userId: null })).toMatchObject({ lid: person?.lid });
    }));

  it("is the number's own in both spellings", () =>
    inTables(
      (tables) => expect(tables.person({ wa_id: short })?.phone).toBe(long),
      () => long,
    ));
});

it("a surrogate in the stores is accepted", () =>
  inTables((tables, lids) => {
    const lid = tables.person({ user_id: "BR.abc" })?.lid ?? "";
    lids.learn(lid, "5511900000002");
    expect(tables.recipientOf(`${lid}@lid`)).toEqual({ to: "+5511900000002" });
  }));
