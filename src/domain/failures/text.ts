import type { Failure } from "@gateway/protocol/failures.ts";
import { ENGLISH } from "./english.ts";
import { PORTUGUESE } from "./portuguese.ts";

const OF_REASONS: Readonly<Record<string, { english: string; portuguese: string }>> = {
  cloud_token_invalid: {
    english: "Meta does not accept the number's access token any more. Give the instance a new token and try again.",
    portuguese: "A Meta não aceita mais o token de acesso do número. Cadastre um novo token e tente de novo.",
  },
};

export function englishText(failure: Failure): string {
  return ofReason(failure)?.english ?? ENGLISH[failure.code];
}

export function portugueseText(failure: Failure): string {
  return ofReason(failure)?.portuguese ?? PORTUGUESE[failure.code];
}

function ofReason({ code, details }: Failure) {
  const reason = details?.["reason"];
  return code === "instance_not_connected" && typeof reason === "string" ? OF_REASONS[reason] : undefined;
}
