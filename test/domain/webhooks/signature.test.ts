import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { makeWebhookSecret, SERVICE_SIGNATURE, type Signing, STANDARD_WEBHOOKS } from "@gateway/domain/webhooks/signature.ts";

const body = Buffer.from('{"id":"msg_1","data":{"text":"olá 👋"}}');

function sign(signing: Signing, secrets: readonly string[], id: string, timestampS: number): Record<string, string> {
  const signed = Buffer.concat([Buffer.from(signing.preamble(id, timestampS)), body]);
  return signing.headers(
    id,
    timestampS,
    secrets.map((secret) => createHmac("sha256", signing.keyOf(secret)).update(signed).digest()),
  );
}

describe("Standard Webhooks", () => {
  const now = Math.floor(Date.now() / 1_000);

  it("is verified by the reference package", () => {
    const secret = makeWebhookSecret(randomBytes(32));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Webhook(secret).verify(body, sign(STANDARD_WEBHOOKS, [secret], "msg_1", now))).toMatchObject({ id: "msg_1" });
  });

  it("agrees with the vector of its specification", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const payload = Buffer.from('{"test": 2432232314}');
    const key = STANDARD_WEBHOOKS.keyOf(secret);
    const mac = createHmac("sha256", key)
      .update(STANDARD_WEBHOOKS.preamble("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330))
      .update(payload)
      .digest();
    expect(STANDARD_WEBHOOKS.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, [mac])).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("carries one entry per valid secret, each of which verifies alone", () => {
    const secrets = [makeWebhookSecret(randomBytes(32)), makeWebhookSecret(randomBytes(32))];
    const headers = sign(STANDARD_WEBHOOKS, secrets, "msg_1", now);
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of secrets) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(makeWebhookSecret(randomBytes(32))).verify(body, headers)).toThrow("No matching signature");
  });
});

describe("the service signature", () => {
  it("is the hex HMAC of the body alone", () => {
    const expected = createHmac("sha256", "a secret").update(body).digest("hex");
    expect(sign(SERVICE_SIGNATURE, ["a secret"], "msg_1", 1)).toEqual({ "x-service-signature": expected });
  });

  it("is not sent without a secret", () => expect(SERVICE_SIGNATURE.headers("msg_1", 1, [])).toEqual({}));
});
