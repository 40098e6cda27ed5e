// The passkey that an account may require for linking (docs/operate/operations.md, "Accounts that require a passkey").
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isoOfSeconds } from "../../http/times.ts";
import { PasskeyAssertion, type PasskeyOptions } from "@gateway/protocol/passkey.ts";
import { iso } from "../fields.ts";

type Wanted = { options: PasskeyOptions; expires_at: number };

const Options = z
  .looseObject({
    challenge: z.string().openapi(says({ en: "The data to sign, base64url", pt: "Os dados a assinar, em base64url" })),
    rpId: z
      .string()
      .openapi(says({ en: "The passkey's domain, one of WhatsApp's", pt: "O domínio da chave de acesso, que é do WhatsApp" })),
  })
  .openapi(says({ en: "The options for the browser", pt: "As opções para o navegador" }));

export const wantedPasskey = {
  response: z.object({ data: z.object({ options: Options, expires_at: iso }).openapi("PasskeyRequest") }),
  render: ({ options, expires_at }: Wanted) => ({ data: { options, expires_at: isoOfSeconds(expires_at) } }),
};

export const passkeyBody = z.strictObject({
  assertion: PasskeyAssertion,
});

export const PASSKEY_TEXTS = {
  read: {
    summary: {
      en: "The passkey options for the browser, when the account requires a passkey",
      pt: "As opções da chave de acesso para o navegador, quando a conta exige uma",
    },
    description: {
      en: "Exists only while `status_reason` is `passkey_wanted`, for five minutes. `options` is the `publicKey` for `navigator.credentials.get()`. Browsers run it only on WhatsApp's own page.",
      pt: "Só existe enquanto `status_reason` é `passkey_wanted`, por cinco minutos. `options` é o `publicKey` de `navigator.credentials.get()`. O navegador só o executa na página do próprio WhatsApp.",
    },
  },
  answer: {
    summary: { en: "Submits the browser's passkey response", pt: "Envia a resposta da chave de acesso dada pelo navegador" },
    description: {
      en: "`assertion` is `PublicKeyCredential.toJSON()`. WhatsApp checks it and then links the number.",
      pt: "`assertion` é `PublicKeyCredential.toJSON()`. O WhatsApp confere e depois vincula o número.",
    },
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
