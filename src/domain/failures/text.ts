import type { Failure } from "@gateway/protocol/failures.ts";
import { ENGLISH } from "./english.ts";
import { PORTUGUESE } from "./portuguese.ts";

/** Keyed by code and reason. */
const OF_REASONS: Readonly<Record<string, { english: string; portuguese: string }>> = {
  "media_invalid too_long": {
    english: "The file is too long to convert. Send it in the expected format or as a document.",
    portuguese: "O arquivo é longo demais para converter. Envie no formato esperado ou como documento.",
  },
  "instance_not_connected cloud_token_invalid": {
    english: "Meta no longer accepts the number's access token. Give the instance a new token and try again.",
    portuguese: "A Meta não aceita mais o token de acesso do número. Cadastre um novo token e tente de novo.",
  },
};

const COUNTRY_MISSING = {
  english: "This number is not on WhatsApp, but with 55 in front it is. Is the country code missing?",
  portuguese: "Este número não tem WhatsApp, mas com 55 na frente tem. Faltou o 55?",
};

export function englishText(failure: Failure): string {
  return ofDetails(failure)?.english ?? ENGLISH[failure.code];
}

export function portugueseText(failure: Failure): string {
  return ofDetails(failure)?.portuguese ?? PORTUGUESE[failure.code];
}

function ofDetails({ code, details }: Failure) {
  if (code === "number_not_on_network") return details?.["suggested_number"] === undefined ? undefined : COUNTRY_MISSING;
  const reason = details?.["reason"];
  return typeof reason === "string" ? OF_REASONS[`${code} ${reason}`] : undefined;
}
