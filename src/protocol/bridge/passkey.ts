// A WebAuthn assertion for the network, as `PublicKeyCredential.toJSON()` writes it.
import { z } from "zod";

const bytes = z.base64url().min(1).max(8_192);

const OF_PASSKEY = "Of the passkey, base64url";
const AS_GIVEN = "As the browser gives it, base64url";

export const PasskeyAssertion = z.object({
  id: bytes.describe(OF_PASSKEY),
  rawId: bytes.describe(OF_PASSKEY),
  type: z.literal("public-key"),
  authenticatorAttachment: z.string().max(30).nullish().describe("Where the passkey is, as the browser says"),
  clientExtensionResults: z.record(z.string().max(60), z.unknown()).optional().describe("As the browser gives them"),
  response: z
    .object({
      clientDataJSON: bytes.describe(AS_GIVEN),
      authenticatorData: bytes.describe(AS_GIVEN),
      signature: bytes.describe(AS_GIVEN),
      userHandle: z.base64url().max(200).nullish().describe(AS_GIVEN),
    })
    .describe("What was signed, and the signature, base64url"),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** `publicKey` of `navigator.credentials.get()`, with bytes as base64url. The network may add fields. */
export const PasskeyOptions = z.looseObject({ challenge: z.base64url().min(1).max(2_048), rpId: z.string().max(253) });
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;
