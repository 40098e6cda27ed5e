import { helpFor } from "@gateway/domain/instance/attention.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";

export type Status = InstanceStatus | null;
type ConnectionKind = "session" | "cloud_api";

const IN_ORDER: Record<InstanceStatus, true> = { connected: true, connecting: true, scan_qr: true, disconnected: true, failed: true };

export const STATUSES = Object.keys(IN_ORDER) as readonly InstanceStatus[];

type State = { id: number; status: Status; status_reason: string | null; status_changed_at: string | null };
type ConnectionRow = State & { name: string; role: "owner" | "operator" | "viewer"; phone: string | null };
type Needy = Pick<ConnectionRow, "id" | "name" | "role" | "status_changed_at"> & { status: InstanceStatus; status_reason: string };

export type Listed<R extends ConnectionRow = ConnectionRow> = { data: R[]; attention: Needy[]; attention_total: number };

export type StatusFrame = { id: number; status: Status; status_reason: string; phone: string | null };

/** Returns the same list object if the frame changes nothing. `now` is ISO 8601. */
export function withFrame<R extends ConnectionRow, L extends Listed<R>>(list: L, frame: StatusFrame, now: string): L {
  const row = list.data.find(({ id }) => id === frame.id);
  if (row === undefined) return elsewhere(list, frame, now);
  const phone = frame.status === null ? row.phone : frame.phone;
  if (row.status === frame.status && row.status_reason === frame.status_reason && row.phone === phone) return list;
  const isSame = row.status === frame.status && row.status_reason === frame.status_reason;
  const changed: R = {
    ...row,
    phone,
    status: frame.status,
    status_reason: frame.status_reason,
    status_changed_at: frame.status === null ? null : isSame ? row.status_changed_at : now,
  };
  return { ...list, ...attentionWith(list, changed), data: list.data.map((each) => (each === row ? changed : each)) };
}

/** A connection that is not on the current page may still be in the attention list. */
function elsewhere<L extends Listed>(list: L, { id, status, status_reason }: StatusFrame, now: string): L {
  const needy = list.attention.find((each) => each.id === id);
  if (needy === undefined || (needy.status === status && needy.status_reason === status_reason)) return list;
  return { ...list, ...attentionWith(list, { ...needy, status, status_reason, status_changed_at: now }) };
}

/** Changes nothing if the object does not respond, because it is unknown whether the number needs attention. */
function attentionWith(
  { attention, attention_total }: Listed,
  row: Omit<ConnectionRow, "phone">,
): Pick<Listed, "attention" | "attention_total"> {
  const { id, name, role, status, status_reason, status_changed_at } = row;
  if (status === null) return { attention, attention_total };
  const others = attention.filter((each) => each.id !== id);
  const wasNeedy = others.length < attention.length;
  if (status_reason === null || helpFor(status_reason) === null) {
    return { attention: others, attention_total: wasNeedy ? attention_total - 1 : attention_total };
  }
  const needy = { id, name, role, status, status_reason, status_changed_at };
  return { attention: [needy, ...others], attention_total: wasNeedy ? attention_total : attention_total + 1 };
}

/** Keeps rows whose status is unknown because their object does not respond. */
export function matching<R extends ConnectionRow>(rows: readonly R[], status: InstanceStatus | undefined): R[] {
  return rows.filter((row) => status === undefined || row.status === null || row.status === status);
}

/** Adds rows that began to match the filter after the list was fetched. */
export function withNewcomers<R extends ConnectionRow>(rows: readonly R[], all: readonly R[], status: InstanceStatus | undefined): R[] {
  const matched = matching(rows, status);
  if (status === undefined) return matched;
  const known = new Set(matched.map(({ id }) => id));
  const newcomers = all.filter((row) => row.status === status && !known.has(row.id));
  return [...matched, ...newcomers].toSorted((a, b) => a.id - b.id);
}

export type NextStep = "pair" | "connect" | "read" | null;

export function nextStep({ status, status_reason, kind }: Pick<State, "status" | "status_reason"> & { kind?: ConnectionKind }): NextStep {
  if (status === null) return null;
  const help = helpFor(status_reason);
  if (help !== null) return help;
  if (kind !== "cloud_api" && (status_reason === "created" || status === "scan_qr")) return "pair";
  return status === "disconnected" ? "connect" : null;
}
