import type { ContentfulStatusCode } from "hono/utils/http-status";
import { FAILURE_RESPONSES, retryAfterOf } from "@gateway/domain/failures/responses.ts";
import { englishText, portugueseText } from "@gateway/domain/failures/texts.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";

type Detail = string | number | boolean | null;

/** Detail names not listed here stay in English. */
const DETAIL_NAMES: Readonly<Record<string, string>> = {
  scope: "escopo",
  method: "metodo",
  ends_at: "termina_em",
  network_code: "codigo_rede",
  reason: "motivo",
  expected: "esperado",
  found: "recebido",
  limit: "limite",
  most: "maximo",
  limit_bytes: "limite_bytes",
  limit_seconds: "limite_segundos",
  limit_depth: "limite_niveis",
  limit_values: "limite_valores",
  limit_files: "limite_arquivos",
  missing: "falta",
  field: "campo",
  suggested_number: "numero_sugerido",
};
const SCOPE_NAMES: Readonly<Record<string, string>> = { account: "conta", recipient: "destinatario" };

/** The URL of the chapter about errors (RFC 8288). */
const HELP = '</docs?lang=pt#description/erros>; rel="help"';

/** Most bodies have no request id, so that every replay of an `Idempotency-Key` returns the same body (docs/use/apis.md, "Errors"). */
export function hasRequestId(code: FailureCode): boolean {
  return code === "internal_error";
}

/** The gateway's own clients ask for English, and the MCP server's own texts are English. */
export function isEnglish({ req }: AppContext): boolean {
  return req.path === "/mcp" || req.header("accept-language")?.startsWith("en") === true;
}

/** For a caller that asked for English, only the texts differ: codes and names of fields stay Portuguese. */
export function portugueseFailure(c: AppContext, given: Failure | FailureCode): Response {
  const failure: Failure = typeof given === "string" ? { code: given } : given;
  const { status, codigo } = FAILURE_RESPONSES[failure.code];
  const inEnglish = isEnglish(c);
  const detalhes =
    failure.issues?.map(({ field, issue, portuguese }) => ({ campo: field, motivo: (inEnglish ? null : portuguese) ?? issue })) ??
    portugueseDetails(detailsOf(c, failure));
  c.get("facts").code = failure.code;
  c.header("Link", HELP);
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== null) c.header("Retry-After", String(retryAfter));
  const error = { codigo, mensagem: (inEnglish ? englishText : portugueseText)(failure), ...(detalhes === undefined ? {} : { detalhes }) };
  const body = hasRequestId(failure.code) ? { error, request_id: c.get("requestId") } : { error };
  return c.json(body, status as ContentfulStatusCode);
}

/** An internal error exposes nothing but the request id (docs/operate/security.md, "Never shown or logged"). */
function detailsOf(c: AppContext, failure: Failure): Failure["details"] {
  return failure.code === "internal_error" ? { request_id: c.get("requestId") } : failure.details;
}

function portugueseDetails(details: Readonly<Record<string, Detail>> | undefined): Record<string, Detail> | undefined {
  if (details === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      DETAIL_NAMES[name] ?? name,
      name === "scope" ? (SCOPE_NAMES[String(value)] ?? value) : value,
    ]),
  );
}
