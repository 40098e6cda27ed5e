// The signature verifier names each problem.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Given, type Problem, verify } from "#root/dashboard/src/domain/verify.ts";
import { makeWebhookSecret, STANDARD_WEBHOOKS } from "@gateway/domain/webhooks/signature.ts";

const NOW_S = 1_795_000_000;
const ID = "msg_0123456789";
const SECRET = makeWebhookSecret(new Uint8Array(32).fill(7));
const OLD_SECRET = makeWebhookSecret(new Uint8Array(32).fill(9));
const BODY = JSON.stringify({ id: ID, type: "message.received", data: { text: "Olá, it's 1/2 price! 😀", n: 1.5 } });

function signed(body = BODY, secrets = [SECRET], timestamp = NOW_S, id = ID): Record<string, string> {
  const { preamble, keyOf, headers } = STANDARD_WEBHOOKS;
  const macs = secrets.map((secret) =>
    createHmac("sha256", keyOf(secret))
      .update(preamble(id, timestamp) + body)
      .digest(),
  );
  return headers(
    id,
    timestamp,
    macs.map((mac) => new Uint8Array(mac)),
  );
}

const asLines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\r\n");

const eachLine = (write: (line: string) => string) => asLines(signed()).split("\r\n").map(write).join("\n");

const given = (changes: Partial<Given> = {}): Given => ({ headers: asLines(signed()), body: BODY, secret: SECRET, ...changes });

async function problemOf(changes: Partial<Given>): Promise<Problem | null> {
  const { steps } = await verify(given(changes), NOW_S * 1_000);
  const failed = steps.find(({ state }) => state === "failed");
  return failed?.state === "failed" ? failed.problem : null;
}

describe("a delivery as it came", () => {
  it("is genuine, every step passed", async () => {
    const { verdict, steps, signatures } = await verify(given(), NOW_S * 1_000);
    expect(verdict).toBe("genuine");
    expect(steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
      "headers passed",
      "time passed",
      "secret passed",
      "signature passed",
      "match passed",
    ]);
    expect(signatures).toEqual({ count: 1, matching: 0 });
  });

  it.each([
    ["of curl -v", eachLine((line) => `> ${line}`)],
    ["of a curl command", eachLine((line) => `  -H '${line}' \\`)],
    ["in JSON", JSON.stringify(signed(), null, 2)],
    ["in capitals", asLines(signed()).replaceAll("webhook-", "Webhook-")],
    ["as quoted pairs", eachLine((line) => `"${line.replace(": ", '": "')}",`)],
    ["among others", `Host: example.com\nUser-Agent: Service-Webhooks/1.0\n${asLines(signed())}\n\n`],
  ])("may have its headers written %s", async (_, headers) => expect(await problemOf({ headers })).toBeNull());

  it("is genuine by each of two secrets while a rotation overlaps, and the matching one is named", async () => {
    const headers = asLines(signed(BODY, [SECRET, OLD_SECRET]));
    expect((await verify(given({ headers }), NOW_S * 1_000)).signatures).toEqual({ count: 2, matching: 0 });
    expect((await verify(given({ headers, secret: OLD_SECRET }), NOW_S * 1_000)).signatures).toEqual({ count: 2, matching: 1 });
  });

  it("is old but correctly signed if it is checked later", async () => {
    const { verdict, steps } = await verify(given(), (NOW_S + 301) * 1_000);
    expect(verdict).toBe("old");
    expect(steps[1]).toEqual({ step: "time", state: "failed", problem: { code: "too_old", seconds: 301 } });
    expect(steps.at(-1)?.state).toBe("passed");
    expect((await verify(given(), (NOW_S + 300) * 1_000)).verdict).toBe("genuine");
  });
});

describe("a delivery with a fault", () => {
  const lines = signed();
  const withHeader = (name: string, value: string) => asLines({ ...lines, [name]: value });
  const signature = lines["webhook-signature"]!;

  it.each<[string, Partial<Given>, Problem]>([
    ["no headers", { headers: "" }, { code: "header_missing", header: "webhook-id" }],
    ["no signature", { headers: withHeader("webhook-signature", "") }, { code: "header_missing", header: "webhook-signature" }],
    [
      "headers of another delivery",
      { headers: asLines(signed(BODY, [SECRET], NOW_S, "msg_9")) },
      { code: "other_delivery", header: "msg_9", body: ID },
    ],
    ["a time that is none", { headers: withHeader("webhook-timestamp", "today") }, { code: "time_unreadable", given: "today" }],
    ["milliseconds", { headers: withHeader("webhook-timestamp", `${NOW_S}000`) }, { code: "time_in_milliseconds" }],
    ["an old time", { headers: asLines(signed(BODY, [SECRET], NOW_S - 400)) }, { code: "too_old", seconds: 400 }],
    ["a clock ahead", { headers: asLines(signed(BODY, [SECRET], NOW_S + 400)) }, { code: "in_the_future", seconds: 400 }],
    ["no secret", { secret: " " }, { code: "secret_empty" }],
    ["a key instead", { secret: "svc_abc" }, { code: "secret_is_key" }],
    ["a signature instead", { secret: signature }, { code: "secret_is_signature" }],
    ["v1,whsec_", { secret: `v1,${SECRET}` }, { code: "secret_with_version", correct: true }],
    ["v1,whsec_ of another secret", { secret: `v1,${OLD_SECRET}` }, { code: "secret_with_version", correct: false }],
    ["a line break", { secret: `${SECRET}\n` }, { code: "secret_with_blanks", correct: true }],
    ["quotes", { secret: `"${SECRET}"` }, { code: "secret_with_blanks", correct: true }],
    ["no prefix", { secret: SECRET.slice(6) }, { code: "secret_without_prefix" }],
    ["a cut secret", { secret: SECRET.slice(0, -3) }, { code: "secret_not_base64" }],
    ["a short secret", { secret: "whsec_AAAA" }, { code: "secret_length", bytes: 3 }],
    ["hex", { headers: withHeader("webhook-signature", "ab".repeat(32)) }, { code: "signature_in_hex" }],
    ["no version", { headers: withHeader("webhook-signature", signature.slice(3)) }, { code: "signature_without_version" }],
    ["no base64", { headers: withHeader("webhook-signature", "v1,***") }, { code: "signature_not_base64" }],
    ["a cut signature", { headers: withHeader("webhook-signature", "v1,AAAA") }, { code: "signature_length", bytes: 3 }],
    ["an empty body", { body: "" }, { code: "body_empty" }],
    ["a formatted body", { body: JSON.stringify(JSON.parse(BODY), null, 2) }, { code: "body_formatted" }],
    [
      "a body from Python",
      { body: BODY.replaceAll('":', '": ').replaceAll(',"', ', "').replace("á", "\\u00e1") },
      { code: "body_formatted" },
    ],
    ["a body from PHP", { body: BODY.replaceAll("/", "\\/").replace("á", "\\u00e1") }, { code: "body_formatted" }],
    ["a line break at the end", { body: `${BODY}\n` }, { code: "body_blanks" }],
    [
      "one changed character",
      { body: BODY.replace("price", "pride") },
      { code: "body_character", position: BODY.indexOf("price") + 4, given: "d", signed: "c" },
    ],
    ["a broken body", { body: BODY.slice(0, -10) }, { code: "body_not_json" }],
    ["another text", { body: BODY.replace("price", "other") }, { code: "body_or_secret" }],
    ["another secret", { secret: OLD_SECRET }, { code: "body_or_secret" }],
  ])("has its fault named: %s", async (_, changes, problem) => expect(await problemOf(changes)).toEqual(problem));

  it("is genuine if one of several signatures is good", async () => {
    expect(await problemOf({ headers: withHeader("webhook-signature", `v1a,abc ${signature} v2,zzz`) })).toBeNull();
  });
});
