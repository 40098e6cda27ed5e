import type { FailureLike } from "@gateway/domain/failures/texts.ts";
import { FAILURES, UI } from "../texts/catalogs.ts";
import type { Language } from "../texts/language.ts";
import type { Details, Issue, Refusal, RefusalCode } from "./refusal.ts";

export class Refused extends Error implements Refusal {
  readonly code: RefusalCode;
  readonly status: number;
  readonly details: Details | null;
  readonly requestId: string | null;
  readonly retryAfter: number | null;

  constructor(
    code: RefusalCode,
    facts: { status: number; details?: Details | undefined; requestId?: string | null; retryAfter?: number | null },
  ) {
    super(code);
    this.name = "Refused";
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfter = facts.retryAfter ?? null;
  }

  get issues(): ReadonlyMap<string, string> {
    return new Map(Array.isArray(this.details) ? (this.details as Issue[]).map(({ field, issue }) => [field, issue]) : []);
  }
}

/** The body of an error response, or null if it is not JSON. */
export type ErrorBody = { error?: { code: RefusalCode; details?: never } } | null;

export function refusedBy({ status, headers }: Response, body: ErrorBody): Refused {
  const retry = Number(headers.get("retry-after") ?? Number.NaN);
  return new Refused(body?.error?.code ?? codeOfStatus(status), {
    status,
    details: body?.error?.details,
    requestId: headers.get("x-request-id"),
    retryAfter: Number.isNaN(retry) ? null : retry,
  });
}

/** Chooses a code for a response without one. A proxy responds with 502, 503 or 504 while the gateway behind it is down. */
function codeOfStatus(status: number): RefusalCode {
  return status > 501 && status < 505 ? "offline" : "unreadable";
}

/** Replaces API texts that mention keys and headers with the dashboard's own. Both text catalogs must be loaded. */
export function refusalText(refused: Pick<Refused, "code"> & { details?: Details | null }, language: Language): string {
  const { code } = refused;
  const own = UI.loaded(language)?.refusals;
  if (code === "offline" || code === "unreadable" || code === "unauthorized") return own?.[code] ?? code;
  return FAILURES.loaded(language)?.of(refused as FailureLike) || own?.unreadable || code;
}
