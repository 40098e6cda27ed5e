// Maps Graph errors to failures (docs/use/cloud-api.md, "Errors"). The code and the subcode decide, not the HTTP status.
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";
import type { StatusReason } from "../instance/state.ts";
import type { GraphError } from "./graph-values.ts";

/** `number` is the number itself, and `template` a template send. `read` and `change` cover everything else. */
export type GraphUse = "send" | "template" | "number" | "group" | "media" | "call" | "read" | "change";

export type Verdict =
  /** `doubted` means that the credentials must be checked again. `known` is false if no row has this code and the status is below 500. */
  { kind: "refused"; failure: Failure; doubted: boolean; known: boolean } | { kind: "uncertain" };

type Codes = readonly (number | readonly [first: number, last: number])[];

type FailureRow = {
  codes: Codes;
  uses?: readonly GraphUse[];
  code: FailureCode;
  retryAfter?: number;
  scope?: "account" | "recipient";
  doubted?: true;
  /** True if the outcome of a send is unknown until a status reports it. */
  unknown?: true;
};

const SENDS: readonly GraphUse[] = ["send", "template"];
const OF_THE_NUMBER: readonly GraphUse[] = [...SENDS, "number"];
const PERMISSION: Codes = [3, 10, [200, 299], 131005];
const PARAMETER: Codes = [100, 131008, 131009];

/** The first match wins, so specific rows come before general ones. */
const ROWS: readonly FailureRow[] = [
  { codes: [0, 190], code: "network_error", doubted: true },
  { codes: PERMISSION, uses: OF_THE_NUMBER, code: "network_error", doubted: true },
  { codes: [...PERMISSION, 131030, 131037, 131042, 131044, 131045, 131050, 131055, 131063, 130497, 134011], code: "forbidden" },

  { codes: [100, 803], uses: ["group"], code: "group_not_found" },
  { codes: [100, 803], uses: ["media"], code: "media_expired" },
  { codes: [33, 133000, 133006, 133010, 133015], code: "instance_not_connected", doubted: true },

  { codes: [368, 131031], code: "temporarily_blocked", scope: "account" },
  { codes: [130472, 131049], code: "temporarily_blocked", scope: "recipient" },
  { codes: [131056], code: "network_rate_limited", retryAfter: 60, scope: "recipient" },
  { codes: [131048], code: "network_rate_limited", retryAfter: 3_600 },
  { codes: [4, 17, 613, 80007, 130429, 131064, 133016], code: "network_rate_limited", retryAfter: 60 },
  { codes: [131057, 133004], code: "unavailable", retryAfter: 60 },
  { codes: [1, 2, 131000, 131016], code: "network_error", unknown: true },

  { codes: [131021, 131026], code: "number_not_on_network" },
  { codes: [131062], code: "invalid_number" },
  { codes: [131047], code: "outside_service_window" },
  { codes: [[132000, 132016], 132068, 132069], code: "template_invalid" },
  { codes: PARAMETER, uses: ["template"], code: "template_invalid" },
  { codes: [131052, 131053], code: "media_invalid" },
  { codes: [131051], code: "not_supported" },
  { codes: [...PARAMETER, 135000, [139000, 139999]], uses: ["send"], code: "limit_of_kind" },
  { codes: [135000, [139000, 139999]], uses: ["template"], code: "limit_of_kind" },
  { codes: [...PARAMETER, 135000, [139000, 139999]], code: "network_error" },

  { codes: [138003, 138004, 138007], uses: ["call"], code: "call_ended" },
  { codes: [[138000, 138999]], code: "forbidden" },
  { codes: [[131200, 131299]], code: "not_group_admin" },
];

const UNKNOWN: FailureRow = { codes: [], code: "network_error" };

/** `uncertain` is returned only for sends whose code does not reveal the outcome. */
export function failureOf(error: GraphError, use: GraphUse): Verdict {
  const row = failureRowOf(error, use);
  if (row.unknown === true && SENDS.includes(use)) return { kind: "uncertain" };
  return { kind: "refused", failure: failureIn(row, error), doubted: row.doubted === true, known: row !== UNKNOWN };
}

/** The reason in a `failed` status. Only the first error is used, because the others repeat it. */
export function statusFailure(errors: readonly GraphError[], use: "send" | "template" = "send"): { failure: Failure; doubted: boolean } {
  const [error] = errors;
  if (error === undefined) return { failure: { code: "network_error", attempted: true }, doubted: false };
  const row = failureRowOf(error, use);
  return { failure: failureIn(row, error), doubted: row.doubted === true };
}

/** Includes the reason if the number needs a new token, so that reconnecting would not help. */
export function notConnected(reason: StatusReason): Failure {
  return { code: "instance_not_connected", ...(reason === "cloud_token_invalid" && { details: { reason } }) };
}

export function throttlesNumber({ code }: GraphError): boolean {
  return code === 130429 || code === 131057;
}

/** For its most general code (100), Meta reports the cause in the subcode, so this looks the subcode up first. */
function failureRowOf({ code, subcode }: GraphError, use: GraphUse): FailureRow {
  const general = code === 100 && use !== "group" && use !== "media";
  const bySubcode = subcode === null || subcode === 100 ? null : find(subcode, use);
  return (general ? bySubcode : null) ?? find(code, use) ?? bySubcode ?? UNKNOWN;
}

function find(code: number, use: GraphUse): FailureRow | null {
  return ROWS.find((row) => (row.uses === undefined || row.uses.includes(use)) && includesCode(row.codes, code)) ?? null;
}

function includesCode(codes: Codes, code: number): boolean {
  return codes.some((one) => (typeof one === "number" ? one === code : code >= one[0] && code <= one[1]));
}

function failureIn({ code, retryAfter, scope }: FailureRow, error: GraphError): Failure {
  return {
    code,
    ...(retryAfter !== undefined && { retryAfter }),
    details: { network_code: error.code, ...(scope !== undefined && { scope }) },
    attempted: true,
  };
}
