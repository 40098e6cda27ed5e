import { wantsSession } from "@gateway/domain/instance/state.ts";
import type { OwnerCommand } from "@gateway/domain/instance/owner-commands.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { activityOf } from "@gateway/domain/statistics/activity.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ConnectionKind, OperationInput, OperationOutput, OperationName } from "@gateway/protocol/operations.ts";
import type { ActivityHour } from "@gateway/protocol/records.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { CloudUpkeep } from "../cloud/cloud-upkeep.ts";
import { outcomeOfReply } from "../session/command-channel.ts";
import type { Instance } from "./instance.ts";
import type { Identity } from "./identity.ts";
import type { SessionLink } from "../session/session-link.ts";
import type { SessionControl } from "../session/session-control.ts";
import type { Counters } from "../statistics/counters.ts";
import type { StatusHours } from "../statistics/status-hours.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";
import type { NetworkClient } from "../session/network-client.ts";

/** How long to wait for the session's QR code, and then again for the bridge's response. */
const PAIRING_TIMEOUT_MS = 15_000;

const PASSKEY_TIMEOUT_MS = 45_000;

export type InstanceDependencies = {
  identity: Identity;
  instance: Instance;
  session: SessionControl;
  link: SessionLink;
  stores: Stores;
  counters: Pick<Counters, "hoursSince">;
  statusHours: Pick<StatusHours, "since">;
  cloud: { upkeep: OfCloud };
};

type InstanceOperation =
  | "instance.get"
  | "instance.activity"
  | "instance.qr"
  | "instance.pairing_code"
  | "instance.passkey"
  | "instance.passkey_assertion"
  | "instance.connect"
  | "instance.disconnect"
  | "instance.restart"
  | "instance.logout";

export function instanceHandlers(deps: InstanceDependencies): HandlersOf<InstanceOperation> {
  const { identity, instance, session } = deps;
  const step = (command: OwnerCommand, now: number): Outcome<Done> => {
    session.step(command, now);
    return succeed({});
  };
  const verbs = VERBS(step, deps.cloud.upkeep);
  const ofKind = () => verbs[identity.kind];
  return {
    "instance.get": (_input, { now }) => record(deps, now),
    "instance.activity": ({ hours }, { now }) => succeed({ hours: activity(deps, hours, now) }),
    "instance.qr": (_input, { now }) => qr(instance, now),
    "instance.pairing_code": (input, { now }) => pairingCode(deps, input, now),
    "instance.passkey": (_input, { now }) => passkey(instance, now),
    "instance.passkey_assertion": (input, { now }) => answerPasskey(deps, input, now),
    "instance.connect": (input, { now }) => ofKind().connect(input, now),
    "instance.disconnect": (_input, { now }) => ofKind().disconnect(now),
    "instance.restart": (_input, { now }) => ofKind().restart(now),
    "instance.logout": (_input, { now }) => step({ type: "logout" }, now),
  };
}

type Done = Record<string, never>;
type Verbs = {
  connect(input: OperationInput<"instance.connect">, now: number): Outcome<Done> | Promise<Outcome<Done>>;
  disconnect(now: number): Outcome<Done>;
  restart(now: number): Outcome<Done> | Promise<Outcome<Done>>;
};

type OfCloud = Pick<CloudUpkeep, "connect" | "disconnect">;

/** A session is connected through a bridge, and a Cloud API number by checking its credentials. */
const VERBS = (step: (command: OwnerCommand, now: number) => Outcome<Done>, upkeep: OfCloud): Record<ConnectionKind, Verbs> => ({
  session: {
    connect: ({ force_new_pairing: forceNewPairing }, now) => step({ type: "connect", forceNewPairing }, now),
    disconnect: (now) => step({ type: "disconnect" }, now),
    restart: (now) => step({ type: "restart" }, now),
  },
  cloud_api: {
    connect: () => upkeep.connect(),
    disconnect: (now) => {
      upkeep.disconnect(now);
      return succeed({});
    },
    restart: () => upkeep.connect(),
  },
});

function record({ identity, instance, stores }: InstanceDependencies, now: number): Outcome<OperationOutput<"instance.get">> {
  const { state } = instance;
  if (identity.record === null) return fail("instance_not_found");
  const { id, uuid, owner_id, name, kind, subscription_status, subscription_period_end } = identity.record;
  return succeed({
    id,
    uuid,
    owner_id,
    name,
    kind,
    phone: state.phone,
    last_phone: state.lastPhone,
    status: state.status,
    status_reason: state.reason,
    status_changed_at: state.changedAt,
    profile_name: state.profileName,
    platform: state.platform,
    is_business: state.isBusiness,
    restriction: state.restriction,
    ban: state.ban === null ? null : { code: state.ban.code, ends_at: state.ban.endsAt },
    new_chat_quota: stores.accountLimits.get()?.newChatQuota ?? null,
    qr_expires_at: unexpired(state.qr, now) === null ? null : (state.qr?.expires_at ?? 0) * 1000,
    reconnect: state.reconnect === null ? null : { attempt: state.reconnect.attempt, next_at: state.reconnect.nextAt },
    last_connected_at: state.lastConnectedAt,
    last_disconnected_at: state.lastDisconnectedAt,
    last_inbound_at: stores.messageQueries.lastReceivedAt(),
    subscription: subscription_status === null ? null : { status: subscription_status, current_period_end: subscription_period_end },
  });
}

function activity({ counters, instance, statusHours }: InstanceDependencies, hours: number, now: number): ActivityHour[] {
  const { status, changedAt } = instance.state;
  const from = now - hours * HOUR_MS;
  return activityOf(hours, statusHours.since(from), { status, since: changedAt }, counters.hoursSince(from), now);
}

function qr(instance: Instance, now: number): Outcome<OperationOutput<"instance.qr">> {
  const shown = unexpired(instance.state.qr, now);
  return shown === null ? fail("qr_not_available") : succeed({ raw: shown.raw, expires_at: shown.expires_at });
}

function unexpired<Q extends { expires_at: number }>(qr: Q | null, now: number): Q | null {
  return qr !== null && qr.expires_at * 1000 > now ? qr : null;
}

function passkey({ state }: Instance, now: number): Outcome<OperationOutput<"instance.passkey">> {
  const wanted = unexpired(state.passkey, now);
  return wanted === null ? fail("passkey_not_wanted") : succeed(wanted);
}

async function answerPasskey(
  { instance, session, link }: InstanceDependencies,
  input: OperationInput<"instance.passkey_assertion">,
  now: number,
): Promise<Outcome<Record<string, never>>> {
  const wanted = passkey(instance, now);
  if (!wanted.ok) return wanted;
  const socket = link.current();
  if (socket === null) return fail("instance_reconnecting", { retryAfter: 2 });
  const result = outcomeOfReply(await link.commands.request(socket, "session.passkey", input, PASSKEY_TIMEOUT_MS));
  if (!result.ok) return result;
  session.step({ type: "passkey_taken" }, Date.now());
  return succeed({});
}

async function pairingCode(
  { instance, session, link }: InstanceDependencies,
  input: OperationInput<"instance.pairing_code">,
  now: number,
): Promise<Outcome<OperationOutput<"instance.pairing_code">>> {
  const status = () => instance.state.status;
  if (status() === "connected") return fail("already_connected");
  const { requests, windowMs } = LIMITS.pairingCodes;
  const recent = instance.state.pairingCodes.filter((at) => at <= now && at > now - windowMs);
  if (recent.length >= requests) return fail("rate_limited", { retryAfter: retryAfterSeconds((recent[0] ?? now) + windowMs - now) });
  if (!wantsSession(instance.state)) return fail("instance_not_connected");
  session.step({ type: "pairing_code_asked" }, now);
  await link.waiters.untilSettled(now, now + PAIRING_TIMEOUT_MS);
  const socket = link.current();
  if (status() === "connected") return fail("already_connected");
  if (status() !== "scan_qr" || socket === null) return fail("instance_reconnecting", { retryAfter: 2 });
  const result = outcomeOfReply(
    await link.commands.request(socket, "session.pairing_code", { phone: input.phone, code: input.code }, PAIRING_TIMEOUT_MS),
  );
  if (!result.ok) return result;
  session.step({ type: "pairing_code_issued" }, Date.now());
  return succeed({ code: result.value.code, phone: input.phone, expires_at: result.value.expires_at });
}

export function profileHandlers(network: NetworkClient, instance: Instance): HandlersOf<Extract<OperationName, `profile.${string}`>> {
  return {
    "profile.get": async () => {
      const result = await network.command("profile.get", {});
      if (!result.ok) return result;
      const { about, picture, business } = result.value;
      const { phone, profileName, isBusiness } = instance.state;
      return succeed({
        phone,
        name: profileName,
        about,
        picture: picture?.media ?? null,
        is_business: isBusiness === true || business !== null,
        business,
      });
    },
    "profile.name": (input) => network.command("profile.name", input),
    "profile.about": (input) => network.command("profile.about", input),
    "profile.picture": (input) => network.command("profile.picture", input),
    "profile.remove_picture": () => network.command("profile.picture", { picture: null }),
    "profile.privacy": () => network.command("profile.privacy", {}),
    "profile.set_privacy": (input) => network.command("profile.set_privacy", input),
  };
}
