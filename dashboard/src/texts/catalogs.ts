import type { FailureLike } from "@gateway/domain/failures/texts.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { catalog } from "./catalog.ts";
import type { Language } from "./language.ts";

export const ACCOUNT = catalog(
  () => import("./pt/account.ts"),
  () => import("./en/account.ts"),
);
export const ADMIN = catalog(
  () => import("./pt/admin.ts"),
  () => import("./en/admin.ts"),
);
export const CHATS = catalog(
  () => import("./pt/chats.ts"),
  () => import("./en/chats.ts"),
);
export const CLOUD = catalog(
  () => import("./pt/cloud.ts"),
  () => import("./en/cloud.ts"),
);
export const CONNECTIONS = catalog(
  () => import("./pt/connections.ts"),
  () => import("./en/connections.ts"),
);
export const DELIVERIES = catalog(
  () => import("./pt/deliveries.ts"),
  () => import("./en/deliveries.ts"),
);
export const EVENTS = catalog(
  () => import("./pt/events.ts"),
  () => import("./en/events.ts"),
);
export const INTEGRATIONS = catalog(
  () => import("./pt/integrations.ts"),
  () => import("./en/integrations.ts"),
);
export const LOGS = catalog(
  () => import("./pt/logs.ts"),
  () => import("./en/logs.ts"),
);
export const NOW = catalog(
  () => import("./pt/now.ts"),
  () => import("./en/now.ts"),
);
export const OVERVIEW = catalog(
  () => import("./pt/overview.ts"),
  () => import("./en/overview.ts"),
);
export const PAIR = catalog(
  () => import("./pt/pair.ts"),
  () => import("./en/pair.ts"),
);
export const PAIRING_LINK = catalog(
  () => import("./pt/pairing-link.ts"),
  () => import("./en/pairing-link.ts"),
);
export const REASONS = catalog(
  () => import("./pt/reasons.ts"),
  () => import("./en/reasons.ts"),
);
export const SETTINGS = catalog(
  () => import("./pt/settings.ts"),
  () => import("./en/settings.ts"),
);
export const SHELL = catalog(
  () => import("./pt/shell.ts"),
  () => import("./en/shell.ts"),
);
export const SIGN_IN = catalog(
  () => import("./pt/sign-in.ts"),
  () => import("./en/sign-in.ts"),
);
export const UI = catalog(
  () => import("./pt/ui.ts"),
  () => import("./en/ui.ts"),
);
type FailureText = (failure: FailureLike) => string;

/** `of`: the API's failure texts, some replaced by the dashboard's own. `api`: the API's texts, as its callers received them. */
export const FAILURES = catalog<{ of: FailureText; api: FailureText }>(
  () => failures("pt", import("./pt/failures.ts")),
  () => failures("en", import("./en/failures.ts")),
);

async function failures(language: Language, loading: Promise<{ default: Partial<Record<FailureCode, string>> }>) {
  const [{ dashboardText }, own] = await Promise.all([import("@gateway/domain/failures/texts.ts"), loading]);
  const texts =
    (replaced: typeof own.default): FailureText =>
    (failure) =>
      dashboardText(failure, replaced, language);
  return { default: { of: texts(own.default), api: texts({}) } };
}
