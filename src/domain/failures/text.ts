import type { Failure } from "@gateway/protocol/failures.ts";
import { ENGLISH } from "./english.ts";
import { PORTUGUESE } from "./portuguese.ts";

/** Keyed by code and reason. */
const OF_REASONS: Readonly<Record<string, { english: string; portuguese: string }>> = {
  "media_invalid too_long": {
    english: "The file is too long to be converted here. Send it in the expected format or as a document.",
    portuguese: "O arquivo é longo demais para ser convertido aqui. Envie-o no formato esperado ou como documento.",
  },
  "instance_not_connected cloud_token_invalid": {
    english: "Meta does not accept the number's access token any more. Give the instance a new token and try again.",
    portuguese: "A Meta não aceita mais o token de acesso do número. Cadastre um novo token e tente de novo.",
  },
};

const COUNTRY_MISSING = {
  english: "The number has no account on the network, but it has one with 55 in front. Is the country code missing?",
  portuguese: "O número não tem conta na rede, mas com 55 na frente ele tem. Faltou o 55?",
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
