// A call that the API refused, and its words in the reader's language.
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { words } from "../words/words.ts";

type Issue = { field: string; issue: string };
type Details = readonly Issue[] | Readonly<Record<string, string | number | boolean | null>>;

/** `code` "offline": there was no answer at all; "unreadable": it was none of this API. */
export type RefusalCode = FailureCode | "offline" | "unreadable";

export class Refused extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly details: Details | null;
  readonly requestId: string | null;
  /** Seconds to wait before the next try; null: not said. */
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

  /** What is wrong with each field, by its name. */
  get issues(): ReadonlyMap<string, string> {
    return new Map(Array.isArray(this.details) ? (this.details as Issue[]).map(({ field, issue }) => [field, issue]) : []);
  }
}

/** The failure texts of the APIs. The first page waits for them, so that a refusal has its words at once. */
export const FAILURES = words<Readonly<Record<FailureCode, string>>>(
  () => import("@gateway/domain/failures/portuguese.ts").then(({ PORTUGUESE }) => ({ default: PORTUGUESE })),
  () => import("@gateway/domain/failures/english.ts").then(({ ENGLISH }) => ({ default: ENGLISH })),
);

/** The failure texts of the APIs, where they do not speak of keys and headers. */
const OWN = {
  pt: {
    unauthorized: "Sua sessão terminou. Entre de novo.",
    offline: "Sem resposta do servidor. Verifique sua conexão com a internet.",
    unreadable: "O servidor respondeu algo inesperado.",
  },
  en: {
    unauthorized: "Your session has ended. Sign in again.",
    offline: "The server does not answer. Check your internet connection.",
    unreadable: "The server answered something unexpected.",
  },
} as const;

export function refusalText({ code }: Pick<Refused, "code">, language: "pt" | "en"): string {
  if (code === "offline" || code === "unreadable" || code === "unauthorized") return OWN[language][code];
  return FAILURES.loaded(language)?.[code] ?? OWN[language].unreadable;
}
