// Admission of a call to this connection: key, subscription, then the gate's checks (docs/internals/admission.md, "Order of the checks").
import type { AdmissionLimits } from "@gateway/domain/limits.ts";
import type { Call, CallResult, Caller, ConnectionRecord } from "@gateway/protocol/connection.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { fail, type Failed, type Failure } from "@gateway/protocol/failures.ts";
import { OPERATIONS, type OperationName, type OperationRow, type Role } from "@gateway/protocol/operations.ts";
import { isSet } from "@gateway/protocol/operations/row.ts";
import { ApiKeys } from "../keys/api-keys.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import { AssistantPace } from "../keys/assistant.ts";
import { Confirmations } from "../keys/confirmations.ts";
import { PairingLinks } from "../pairing/pairing-links.ts";
import { type AdmissionRequest, Gate, type RunOperation } from "../../shared/gate/gate.ts";
import { CHANGES_NETWORK_RESPONSES } from "./network-changes.ts";

type IdentifiedCaller = { subject: string; scopes: readonly string[] | null };

const RANK: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };

export class Admission {
  readonly keys: ApiKeys;
  readonly assistantPace: AssistantPace;
  readonly confirmations: Confirmations;
  readonly pairingLinks: PairingLinks;
  readonly gate: Gate;
  readonly scheduled: readonly Scheduled[];
  readonly #record: () => ConnectionRecord | null;

  constructor(sql: SqlStorage, record: () => ConnectionRecord | null, limits: AdmissionLimits) {
    this.keys = new ApiKeys(sql);
    this.assistantPace = new AssistantPace(sql);
    this.confirmations = new Confirmations(sql);
    this.pairingLinks = new PairingLinks(sql);
    this.#record = record;
    this.gate = new Gate(sql, limits);
    this.scheduled = [this.gate, this.confirmations];
  }

  async perform(call: Call, run: RunOperation, now: number): Promise<CallResult> {
    const request = this.#identify(call, now);
    return "failure" in request ? request : this.gate.admit(request, run, now);
  }

  /** The rejection that `perform` would return before it reads the body, or null. Does not count the call. */
  screen(call: Call, now: number): CallResult | null {
    const request = this.#identify(call, now);
    return "failure" in request ? request : this.gate.screen(request, now);
  }

  /** Drops cached responses that these events may change. Called once the events are stored. */
  dropChangedReads(events: readonly KeyedEvent[]): void {
    if (events.some(({ event }) => CHANGES_NETWORK_RESPONSES[event.type])) this.gate.clearReadCache();
    else this.gate.dropStoredReads();
  }

  #identify(call: Call, now: number): AdmissionRequest | Failed {
    const row = call.operation === null ? undefined : operationRowOf(call.operation);
    const known = this.#subject(call.caller, row, now);
    if (known === null) return fail("unauthorized");
    const { subject, scopes } = known;
    const record = this.#record();
    // The connection was removed after the account's call began.
    if (record === null) return fail("instance_not_found");
    const suspended = record.owner_suspended;
    if (call.caller.kind === "connection_key" && suspended) return fail("account_suspended");
    const needsSubscription = call.caller.kind === "connection_key" || row?.needsSubscription === true;
    if (needsSubscription && !record.subscription_active) return fail("subscription_required");
    const { resumable = false, asksNetwork = false, shownOnce = [] } = row ?? {};
    return { call, subject, refused: refusalOf(call, row, suspended, scopes), resumable, asksNetwork, shownOnce };
  }

  /** The caller's subject, to which counters and replays belong, or null if the key or link is not valid here. */
  #subject(caller: Caller, row: OperationRow | undefined, now: number): IdentifiedCaller | null {
    if (caller.kind === "account") return { subject: `account:${caller.subject}`, scopes: null };
    if (caller.kind === "pairing_link") {
      const link = this.#record() === null ? null : this.pairingLinks.find(caller.hash, now);
      return link === null || (link.ended !== null && row?.byLink !== "always") ? null : { subject: `pairing:${link.id}`, scopes: null };
    }
    const key = this.#record() === null ? null : this.keys.use(caller.hash, caller.address ?? null, now);
    return key === null ? null : { subject: `key:${key.id}`, scopes: key.scopes };
  }
}

/** Why the call is not allowed, or null. While the account is suspended, people with whom the number is shared may still read. */
function refusalOf(
  { caller, input }: Call,
  row: OperationRow | undefined,
  suspended: boolean,
  scopes: readonly string[] | null,
): Failure | null {
  if (row === undefined) return { code: "route_not_found" };
  if (caller.kind === "connection_key" && caller.scope !== undefined && scopes?.includes(caller.scope) === false) {
    return { code: "scope_missing", details: { scope: caller.scope } };
  }
  if (caller.kind === "pairing_link" && row.byLink === undefined) return { code: "forbidden" };
  const role = caller.kind === "account" ? caller.role : "operator";
  if (RANK[role] < RANK[row.role]) return { code: "forbidden" };
  const field = fieldBeyond(role, row, input);
  if (field !== null) return { code: "forbidden", details: { field } };
  return suspended && row.role !== "viewer" ? { code: "account_suspended" } : null;
}

function fieldBeyond(role: Role, { fieldRoles = {} }: OperationRow, input: string): string | null {
  const higher = Object.entries(fieldRoles).filter(([, least]) => RANK[role] < RANK[least]);
  if (higher.length === 0) return null;
  const fields = JSON.parse(input) as Readonly<Record<string, unknown>>;
  return higher.find(([name]) => isSet(fields[name]))?.[0] ?? null;
}

function operationRowOf(operation: string): OperationRow | undefined {
  return Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation as OperationName] : undefined;
}
