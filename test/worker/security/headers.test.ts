// Headers as clients and the runtime send them (docs/internals/requests.md, "Request bodies").
// test/journey/robustness/broken-bodies.test.ts sends raw bytes over a socket.
import { describe, expect, it } from "vitest";
import { freshAddress, freshKey, gateway, scriptedConnections } from "../support/gateway.ts";

function sent(pairs: readonly (readonly [name: string, value: string])[]) {
  const objects = scriptedConnections((call) => ({ ok: false, failure: call.rejected ?? { code: "not_supported" } }));
  const headers = new Headers({ "cf-connecting-ip": freshAddress() });
  for (const [name, value] of pairs) headers.append(name, value);
  return gateway(objects)("/api/v1/instance", { headers }).then(({ status }) => ({ status, asked: objects.names.length }));
}

const PASSES = { status: 501, asked: 1 };
const REFUSED = { status: 401, asked: 0 };

describe("a key in a header", () => {
  const { key } = freshKey();

  it.each([
    ["white space around it", [["X-Api-Key", ` \t${key} \t`]]],
    ["any spelling of the header's name", [["x-API-key", key]]],
    ["any spelling of the scheme, and any space after it", [["Authorization", `BEARER \t ${key}  `]]],
    [
      "a useless Authorization beside it",
      [
        ["X-Api-Key", key],
        ["Authorization", "Digest x"],
      ],
    ],
  ] as const)("is understood with %s", async (_, pairs) => {
    expect(await sent(pairs)).toEqual(PASSES);
  });

  it.each([
    [
      "repeated",
      [
        ["X-Api-Key", key],
        ["X-Api-Key", key],
      ],
    ],
    [
      "repeated, one of them empty",
      [
        ["X-Api-Key", key],
        ["X-Api-Key", ""],
      ],
    ],
    [
      "beside an empty X-Api-Key",
      [
        ["X-Api-Key", ""],
        ["Authorization", `Bearer ${key}`],
      ],
    ],
    [
      "of white space only",
      [
        ["X-Api-Key", " \t "],
        ["Authorization", `Bearer ${key}`],
      ],
    ],
    ["with a space in it", [["X-Api-Key", `${key.slice(0, 30)} ${key.slice(30)}`]]],
    ["with a bearer prefix in X-Api-Key", [["X-Api-Key", `Bearer ${key}`]]],
    ["bare in Authorization", [["Authorization", key]]],
    ["without a space after the scheme", [["Authorization", `Bearer${key}`]]],
    ["followed by something", [["Authorization", `Bearer ${key} extra`]]],
    ["in capitals", [["X-Api-Key", key.toUpperCase()]]],
    ["with letters outside ASCII", [["X-Api-Key", `${key.slice(0, -1)}ç`]]],
    ["far too long", [["X-Api-Key", key + "0".repeat(16_384)]]],
    ["one letter short", [["X-Api-Key", key.slice(0, -1)]]],
    ["in a query or a cookie", [["Cookie", `X-Api-Key=${key}`]]],
  ] as const)("is no key when it is %s", async (_, pairs) => {
    expect(await sent(pairs)).toEqual(REFUSED);
  });
});

describe("an Idempotency-Key", () => {
  const valueOf = async (pairs: readonly (readonly [string, string])[]) => {
    const objects = scriptedConnections(() => ({ ok: false, failure: { code: "not_supported" } }));
    const headers = new Headers({ "X-Api-Key": freshKey().key });
    for (const [name, value] of pairs) headers.append(name, value);
    await gateway(objects)("/api/v1/instance/restart", { method: "POST", headers });
    return objects.calls[0]?.idempotencyKey;
  };

  it("reaches the object unchanged, also empty or repeated: only the object validates it", async () => {
    expect(await valueOf([])).toBeNull();
    expect(await valueOf([["Idempotency-Key", ""]])).toBe("");
    expect(
      await valueOf([
        ["Idempotency-Key", "a"],
        ["Idempotency-Key", "b"],
      ]),
    ).toBe("a, b");
  });
});
