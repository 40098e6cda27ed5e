// The passkey that an account wants before it is linked, on both APIs (docs/operate/operations.md, "Accounts that require a passkey").
import { z } from "@hono/zod-openapi";
import { isoOfSeconds } from "../../http/times.ts";
import { PasskeyAssertion, type PasskeyOptions } from "@gateway/protocol/bridge/passkey.ts";
import { iso } from "../fields.ts";

type Wanted = { options: PasskeyOptions; expires_at: number };

const Options = z
  .looseObject({
    challenge: z.string().openapi({ description: "To be signed, base64url" }),
    rpId: z.string().openapi({ description: "Whose passkey it is: a domain of the network" }),
  })
  .openapi({ description: "What the browser is to be asked for" });

export const wantedPasskey = {
  response: z.object({ data: z.object({ options: Options, expires_at: iso }).openapi("PasskeyRequest") }),
  render: ({ options, expires_at }: Wanted) => ({ data: { options, expires_at: isoOfSeconds(expires_at) } }),
};

export const passkeyBody = z.strictObject({
  assertion: PasskeyAssertion.describe("What the browser made of the passkey: `PublicKeyCredential.toJSON()`"),
});

export const PASSKEY_TEXTS = {
  read: {
    summary: "What a browser is to be asked for when the account wants a passkey",
    description:
      "Exists only while `status_reason` is `passkey_wanted`, for five minutes. `options` is the `publicKey` of `navigator.credentials.get()`, which a browser carries out on the network's own page alone.",
  },
  answer: {
    summary: "Hands in what the browser made of the passkey",
    description: "`assertion` is `PublicKeyCredential.toJSON()`. The network checks it; then the number is linked without another step.",
  },
} as const;

const SAMPLE = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

export const passkeyExample = {
  body: {
    assertion: {
      id: SAMPLE,
      rawId: SAMPLE,
      type: "public-key",
      response: { clientDataJSON: SAMPLE, authenticatorData: SAMPLE, signature: SAMPLE },
    },
  },
};
