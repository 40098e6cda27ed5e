// Properties of the routes that both APIs share, as the Account API serves them.
import { describe, expect, it } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { codeOf, holder, instanceOf } from "../support/accounts.ts";

async function withInstance() {
  const { call } = await holder();
  const { id } = await instanceOf(call);
  return (method: string, path: string, body?: unknown) => call(method, `/instances/${id}${path}`, body);
}

describe("repeating a read", () => {
  it("is not limited for a single message, which clients poll", async () => {
    const ask = await withInstance();
    for (let time = 0; time < 70; time += 1)
      expect(codeOf(await ask("GET", "/messages/3EB0C431C26A1916E07A"))).toEqual([404, "message_not_found"]);
  });

  it("is refused with 429 after 60 times for the list of chats", async () => {
    const ask = await withInstance();
    const statuses = [];
    for (let time = 0; time < 61; time += 1) statuses.push((await ask("GET", "/chats")).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
  });
});

/** The instance is not connected, so any request that passes its schema fails there. */
describe("an id from a response", () => {
  it.each([
    ["mentions", "POST", "/messages/text", { to: "5511900000002", text: "x", mentions: ["5511900000003@c.us"] }],
    ["participants", "POST", "/groups/120363041234567890@g.us/participants/add", { participants: ["5511900000003@c.us"] }],
    ["recipients", "POST", "/status/text", { text: "x", recipients: ["5511900000003@c.us"] }],
  ])("is accepted in a request: %s", async (_, method, path, body) => {
    expect(codeOf(await (await withInstance())(method, path, body))).toEqual([409, "instance_not_connected"]);
  });

  it.each(["5511900000003", "5511900000003@c.us", "150000000000077@lid"])(
    "is accepted as the caller of a call to reject: %s",
    async (from) => {
      const ask = await withInstance();
      expect(codeOf(await ask("POST", "/calls/reject", { call_id: "A1", from }))).toEqual([404, "call_not_found"]);
    },
  );

  it("is refused in mentions if it names no known person", async () => {
    const ask = await withInstance();
    const text = { to: "5511900000002", text: "x" };
    for (const mention of ["5511900000003@g.us", "150000000000077@lid", "x"])
      expect(codeOf(await ask("POST", "/messages/text", { ...text, mentions: [mention] }))).toEqual([400, "invalid_number"]);
  });
});

it("a fresh list of groups is refused while the number is not connected", async () => {
  expect(codeOf(await (await withInstance())("GET", "/groups?refresh=true"))).toEqual([409, "instance_not_connected"]);
});

it("the Account API's document contains no error code of the Connection API", () => {
  const texts = JSON.stringify(accountDocument("https://api.example.com", FAMILIES));
  const codes = Object.keys(FAILURE_RESPONSES) as FailureCode[];
  const words = codes.flatMap((code) =>
    codes.includes(FAILURE_RESPONSES[code].codigo as FailureCode) ? [] : [FAILURE_RESPONSES[code].codigo],
  );
  expect(words.filter((word) => new RegExp(`\\b${word}\\b`).test(texts))).toEqual([]);
});
