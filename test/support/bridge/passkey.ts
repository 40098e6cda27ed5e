// A browser that holds an account's passkey. It creates assertions as `navigator.credentials.get()` does on the network's own page.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Passkey } from "#root/test-network/pairing/passkey-ceremony.ts";
import type { PasskeyAssertion } from "@gateway/protocol/passkey.ts";

const ORIGIN = "https://web.whatsapp.com";

export type Authenticator = {
  /** The account's record of the passkey. */
  passkey(form: Passkey["form"]): Passkey;
  assertion(options: { challenge: string; rpId: string }, origin?: string): PasskeyAssertion;
};

export function authenticator(): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credential = randomBytes(32).toString("base64url");
  return {
    passkey: (form) => ({
      form,
      credential_id: credential,
      public_key: publicKey.export({ format: "der", type: "spki" }).toString("base64url"),
    }),
    assertion({ challenge, rpId }, origin = ORIGIN) {
      const clientData = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }));
      // Flags: user present, user verified, credential backed up. A synchronized passkey's counter stays zero.
      const data = Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([0b11101]), Buffer.alloc(4)]);
      const signature = sign("sha256", Buffer.concat([data, createHash("sha256").update(clientData).digest()]), privateKey);
      return {
        id: credential,
        rawId: credential,
        type: "public-key",
        authenticatorAttachment: "platform",
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
          userHandle: null,
        },
      };
    },
  };
}
