// Error details for invalid request fields.
import { expect, it } from "vitest";
import { codeOf, holder } from "../support/accounts.ts";

it("error details name missing, unknown and wrong fields", async () => {
  const { call } = await holder();
  const answer = await call("POST", "/webhooks", { url: 7, evnts: [], headers: {} });
  expect(codeOf(answer)).toEqual([400, "validation_error"]);
  expect(answer.body.error.details).toEqual([
    { field: "url", issue: "must be a text" },
    { field: "events", issue: "is required" },
    { field: "evnts", issue: "is not a known field" },
  ]);
  expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
});

it("error details name wrong query parameters", async () => {
  const { call } = await holder();
  const answer = await call("GET", "/instances?limit=0&status=gone");
  expect(answer.body.error.details.map(({ field }: { field: string }) => field)).toEqual(["status", "limit"]);
});

it("every text field refuses a lone surrogate", async () => {
  const { call } = await holder();
  const issue = "has half of a character (a lone surrogate, \\ud800 to \\udfff)";
  const whole = { url: "https://hooks.example.com/a", events: ["message.received"] };
  for (const [body, field] of [
    [{ ...whole, description: "a\ud83d" }, "description"],
    [{ ...whole, headers: { "X-A": "\ude00" } }, "headers.X-A"],
    [{ ...whole, events: ["message.received", "\ud83d"] }, "events.1"],
    [{ ...whole, "\ud83d": 1 }, "\ufffd"],
  ] as const) {
    const answer = await call("POST", "/webhooks", body);
    expect([codeOf(answer), answer.body.error.details]).toEqual([[400, "validation_error"], [{ field, issue }]]);
  }
  const asked = await call("GET", "/instances?search=%ff");
  expect(asked.body.error.details).toEqual([{ field: "search", issue: "is not valid UTF-8" }]);
});
