import { describe, expect, it } from "vitest";
import { validateCustomHeaders } from "@gateway/domain/webhooks/custom-headers.ts";

describe("custom headers", () => {
  it("keep text and write other values as JSON says", () => {
    expect(validateCustomHeaders({ "X-Team": "blue", "X-Count": 3, "X-On": true, "X-List": ["a"], Authorization: "Bearer a b" })).toEqual({
      ok: true,
      value: { "X-Team": "blue", "X-Count": "3", "X-On": "true", "X-List": '["a"]', Authorization: "Bearer a b" },
    });
  });

  it.each([
    "Host",
    "content-type",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Upgrade",
    "TE",
    "Expect",
    "Proxy-Authorization",
    "CF-Worker",
    "X-Service-Signature",
    "webhook-id",
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Real-IP",
    "X-Original-URL",
    "X-HTTP-Method-Override",
    "X-Client-Cert",
    "True-Client-IP",
    "Via",
    "Cookie",
    "Cookie2",
    "Set-Cookie",
    "Sec-Fetch-Site",
    "Origin",
    "Max-Forwards",
    "Upgrade-Insecure-Requests",
    "Webhook-Signature",
    "",
    "X Team",
    "X:Team",
    "X-É",
    "a".repeat(65),
  ])("refuse the name %j", (name) => {
    expect(validateCustomHeaders({ [name]: "1" })).toMatchObject({ ok: false, failure: { code: "validation_error" } });
  });

  it.each(["X-Via", "X-Originator", "X-Secret", "X-Realm", "X-Amount", "Authorization", "X-Api-Key", "User-Agent"])(
    "accept the name %j",
    (name) => {
      expect(validateCustomHeaders({ [name]: "1" }).ok).toBe(true);
    },
  );

  it.each(["", " padded", "padded ", "line\r\nbreak", "tab\there", "é", "\u0000", "a".repeat(1_025)])("refuse the value %j", (value) => {
    expect(validateCustomHeaders({ "X-Team": value }).ok).toBe(false);
  });

  it("are at most twenty, each named once", () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, "1"]));
    expect(validateCustomHeaders(many).ok).toBe(false);
    expect(validateCustomHeaders({ "X-Team": "1", "x-team": "2" }).ok).toBe(false);
  });
});
