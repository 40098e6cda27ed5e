// A WebAuthn assertion for the network, as `PublicKeyCredential.toJSON()` writes it.
import * as z from "zod";

const bytes = z.base64url().min(1).max(8_192);

export const PasskeyAssertion = z.object({
  id: bytes,
  rawId: bytes,
  type: z.literal("public-key"),
  authenticatorAttachment: z.string().max(30).nullish(),
  clientExtensionResults: z.record(z.string().max(60), z.unknown()).optional(),
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: z.base64url().max(200).nullish(),
  }),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** The `publicKey` argument of `navigator.credentials.get()`, with bytes as base64url. The network may add fields. */
export const PasskeyOptions = z.looseObject({ challenge: z.base64url().min(1).max(2_048), rpId: z.string().max(253) });
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;
