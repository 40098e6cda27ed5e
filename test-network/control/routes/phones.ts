import type { z } from "zod";
import type { TestNetwork } from "../../network.ts";
import { showDoing } from "../../phone/presence.ts";
import { restrict, setNewChatQuota } from "../../new-chats.ts";
import { setAbout, viewContact } from "../../phone/profile.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import type { PhoneSummary, PhoneView } from "../../phone/views.ts";
import {
  CodeBody,
  ForgetBody,
  NewPhoneBody,
  OptionsBody,
  PresenceBody,
  ScanBody,
  UnlinkBody,
  CallBody,
  FaultBody,
  MediaHostBody,
  NetworkBody,
} from "../bodies.ts";
import { answer, list, NOTHING, ok, phoneRoute, route, type Route } from "../route.ts";
import type { Change, Changes } from "../../changes.ts";
import { acceptCall, endCall, placeCall, rejectCall } from "../../phone/calls.ts";
import type { PhoneDependencies } from "../../phone/dependencies.ts";
import { refused } from "../../phone/refusal.ts";

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

const ENDINGS: ReadonlyArray<[name: string, work: (deps: PhoneDependencies, callId: string) => boolean]> = [
  ["end", (deps, callId) => endCall(deps, callId)],
  ["timeout", (deps, callId) => endCall(deps, callId, "timeout")],
  ["accept", acceptCall],
  ["reject", rejectCall],
];

export const phoneRoutes: readonly Route[] = [
  // An existing phone is kept, so that a script can run twice with the same state folder.
  route("POST", "/phones", NewPhoneBody, async ({ phones, body: { phone, ...about } }) => {
    const made = await phones.create(phone, about);
    return ok({ phone, name: nameOf(made) }, 201);
  }),
  route("GET", "/phones", NOTHING, ({ phones, network }) => list(phones.numbers().flatMap((pn) => listed(network, pn)))),
  phoneRoute("GET", "", NOTHING, (phone, { network }) => ok({ data: viewPhone(phone, network) })),
  phoneRoute("GET", "/events", NOTHING, (phone, { network }) => ok(changesOf(network.changes, phone.pn))),
  phoneRoute("PATCH", "", OptionsBody, async (phone, { network, body }) => {
    const { name, about, lid_only, phone_only, hides_number, needs_token, withheld_key, ...limits } = body;
    const { new_chat_quota, restricted_until, ...options } = limits;
    const now = await phone.change(options);
    if (lid_only !== undefined) network.reachByLidOnly(phone.pn, lid_only);
    if (phone_only !== undefined) network.nameByPhoneOnly(phone.pn, phone_only);
    if (hides_number !== undefined) network.hideNumber(phone.pn, hides_number);
    if (withheld_key !== undefined) await phone.withholdKey(withheld_key);
    if (needs_token !== undefined) network.demandToken(phone.pn, needs_token);
    limitNewChats(network, phone.pn, { new_chat_quota, restricted_until });
    if (about !== undefined) await phone.act((deps) => setAbout(deps, about));
    if (name !== undefined) await phone.modify({ pushNameSetting: name });
    if (name !== undefined) phone.showOnline(phone.deps.link.account(phone.pn)?.presence === "available");
    return ok({ phone: phone.pn, name: nameOf(phone), ...now });
  }),
  phoneRoute("POST", "/scan", ScanBody, async (phone, { body: { qr } }) =>
    answer(await phone.scan(qr), ({ device }) => ({ ok: true, device })),
  ),
  phoneRoute("POST", "/code", CodeBody, async (phone, { body: { code } }) =>
    answer(await phone.enterCode(code), ({ device }) => ({ ok: true, device })),
  ),
  // Closes the socket of each linked device that has an overdue ack, as the real network does every fifty minutes.
  phoneRoute("POST", "/recycle", NOTHING, (phone, { network }) => ok({ ok: true, recycled: network.recycle(phone.pn) })),
  phoneRoute("POST", "/unlink", UnlinkBody, (phone, { body: { device } }) => ok({ ok: true, unlinked: phone.unlink(device) })),
  // Deletes the Signal sessions with a contact's devices, so that their next message cannot be decrypted.
  phoneRoute("POST", "/forget-sessions", ForgetBody, async (phone, { body }) =>
    ok({ ok: true, devices: await phone.loseSessionsWith(body.phone) }),
  ),
  phoneRoute("POST", "/presence", PresenceBody, (phone, { body: { presence, chat_id } }) => {
    if (presence === "online" || presence === "offline") phone.showOnline(presence === "online");
    else if (chat_id !== undefined) showDoing(phone.deps, phone.chatId(chat_id), presence);
    return ok({ ok: true });
  }),
  phoneRoute("POST", "/call", CallBody, async (phone, { body: { to, video } }) => {
    if (!phone.deps.link.account(to)) return refused(404, "unknown_number", "no account with this number is on the network");
    return ok({ call_id: await phone.act((deps) => placeCall(deps, to, video)) });
  }),
  phoneRoute("GET", "/calls", NOTHING, (phone) => list(phone.deps.documents.list("call"))),
  ...ENDINGS.map(([name, work]) =>
    phoneRoute("POST", `/calls/:call/${name}`, NOTHING, async (phone, { params }) => {
      const changed = await phone.act((deps) => work(deps, params["call"] ?? ""));
      return changed ? ok({ ok: true }) : refused(409, "no_such_call", `there is no call that could be dealt with by ${name}`);
    }),
  ),
];

type Limits = Pick<z.output<typeof OptionsBody>, "new_chat_quota" | "restricted_until">;

function limitNewChats(network: TestNetwork, pn: string, { new_chat_quota: quota, restricted_until: until }: Limits): void {
  const account = network.directory.account(pn);
  if (!account) return;
  if (until !== undefined) restrict(network, account, until ?? undefined);
  if (quota === null) setNewChatQuota(network, account, undefined);
  else if (quota !== undefined) {
    const { ends_at: endsAt, ...numbers } = quota;
    setNewChatQuota(network, account, { ...numbers, endsAt });
  }
}

/** Reads the server's directory, so that listing hundreds of phones does not load each of them. */
function listed(network: TestNetwork, pn: string): PhoneSummary[] {
  const account = network.directory.account(pn);
  if (!account) return [];
  const linked = [...account.devices.values()].filter(({ id }) => id !== 0);
  return [
    {
      phone: pn,
      name: account.name,
      picture: account.picture?.id ?? null,
      devices: linked.map(({ id, platform }) => ({ device: id, platform })),
    },
  ];
}

function viewPhone(phone: SimulatedPhone, network: TestNetwork): PhoneView {
  const { about = null, picture_sha256 = null } = viewContact(phone.deps, phone.pn) ?? {};
  return {
    phone: phone.pn,
    name: nameOf(phone),
    about,
    picture_sha256,
    devices: phone.deps.link.companions(),
    options: phone.options,
    counters: phone.deps.counters,
    troubles: phone.troubles,
    code_requested: phone.deps.link.codeRequest() !== null,
    faults: network.faults.list().filter((fault) => fault.phone === phone.pn),
  };
}

function nameOf(phone: SimulatedPhone): string {
  return phone.deps.identity.creds.me.name;
}

/** Streams `event: changed`, `data: { part, chat_id? }`, merged per event-loop turn. No change after `ready` is missed. */
export function changesOf(changes: Changes, phone: string): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(stream) {
      const write = (block: string): void => stream.enqueue(text.encode(block));
      const pending = new Set<string>();
      const flush = (): void => {
        for (const data of pending) write(`event: changed\ndata: ${data}\n\n`);
        pending.clear();
      };
      const unwatch = changes.watch((change) => {
        if (change.phone !== undefined && change.phone !== phone) return;
        if (pending.size === 0) setImmediate(flush);
        pending.add(changeDataOf(change));
      });
      const heartbeat = setInterval(() => write(":\n\n"), HEARTBEAT_MS);
      stop = () => {
        unwatch();
        clearInterval(heartbeat);
        pending.clear();
      };
      write(`retry: ${RETRY_MS}\nevent: ready\ndata: {}\n\n`);
    },
    cancel: () => stop(),
  });
}

function changeDataOf({ part, chatId }: Change): string {
  return JSON.stringify({ part, ...(chatId !== undefined && { chat_id: chatId }) });
}

export const networkRoutes: readonly Route[] = [
  route("GET", "/network", NOTHING, ({ addresses }) => ok(addresses)),
  route("GET", "/faults", NOTHING, ({ network }) => list(network.faults.list())),
  route("POST", "/faults", FaultBody, ({ network, body: { phone, kind, ...rest } }) => {
    if (!network.directory.account(phone)) return refused(404, "unknown_phone", "there is no simulated phone with this number");
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    network.faults.add({ phone, kind, ...given });
    return ok({ ok: true });
  }),
  // Clears all faults, or with `?phone=` one number's, and delivers held stanzas. `{ phone, kind: "release" }` ends only a hold.
  route("DELETE", "/faults", NOTHING, ({ network, query }) => {
    network.faults.clear(query.get("phone") ?? undefined);
    return ok({ ok: true });
  }),
  route("PATCH", "/network", NetworkBody, ({ network: { access }, body }) => {
    if (body.refused_upgrades !== undefined) access.refuseUpgrades(body.refused_upgrades);
    if (body.min_version !== undefined) access.minVersion = body.min_version;
    if (body.stale !== undefined) access.stale = body.stale;
    if (body.served_version !== undefined) access.servedVersion = body.served_version;
    const { upgrades: refused_upgrades, minVersion: min_version, stale, servedVersion: served_version } = access;
    return ok({ refused_upgrades, min_version, stale, served_version });
  }),
  route("POST", "/media-host", MediaHostBody, ({ network, body: { trouble } }) => {
    network.blobs.trouble = trouble;
    return ok({ ok: true });
  }),
  route("GET", "/stats", NOTHING, ({ network, phones }) => {
    const counters = Object.fromEntries([...phones.loaded()].map((phone) => [phone.pn, phone.deps.counters]));
    const { mostHandshakes: most_handshakes } = network.access;
    return ok({ ...Object.fromEntries(Object.entries(network.stats)), most_handshakes, phones: counters });
  }),
];
