// The passkey that an account may require for linking (docs/operate/operations.md, "Accounts that require a passkey").
import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { isoOfSeconds } from "../../http/times.ts";
import { PasskeyAssertion, type PasskeyOptions } from "@gateway/protocol/bridge/passkey.ts";
import { iso } from "../fields.ts";

type Wanted = { options: PasskeyOptions; expires_at: number };

const Options = z
  .looseObject({
    challenge: z.string().openapi(says({ en: "To be signed, base64url", pt: "A ser assinado, em base64url" })),
    rpId: z
      .string()
      .openapi(says({ en: "Whose passkey it is: a domain of the network", pt: "De quem é a chave de acesso: um domínio da rede" })),
  })
  .openapi(says({ en: "What the browser is to be asked for", pt: "O que pedir ao navegador" }));

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
      en: "What a browser is to be asked for when the account wants a passkey",
      pt: "O que pedir a um navegador quando a conta quer uma chave de acesso",
    },
    description: {
      en: "Exists only while `status_reason` is `passkey_wanted`, for five minutes. `options` is the `publicKey` of `navigator.credentials.get()`, which a browser carries out on the network's own page alone.",
      pt: "Só existe enquanto `status_reason` é `passkey_wanted`, por cinco minutos. `options` é o `publicKey` de `navigator.credentials.get()`, que um navegador só executa na página da própria rede.",
    },
  },
  answer: {
    summary: { en: "Hands in what the browser made of the passkey", pt: "Entrega o que o navegador fez da chave de acesso" },
    description: {
      en: "`assertion` is `PublicKeyCredential.toJSON()`. The network checks it; then the number is linked without another step.",
      pt: "`assertion` é `PublicKeyCredential.toJSON()`. A rede a confere; depois o número é vinculado sem outro passo.",
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
