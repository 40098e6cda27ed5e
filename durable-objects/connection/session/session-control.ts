// Controls the session from the object: its socket, generation and bridge. Only the newest welcomed generation may change state rows.
import { earliest } from "@gateway/protocol/units.ts";
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import { type Effect, wantsSession } from "@gateway/domain/instance/state.ts";
import type { Trigger } from "@gateway/domain/instance/advance.ts";
import { bindTicket, boundTicket, bridgeOfAuthorization } from "@gateway/domain/keys/bridge-credential.ts";
import type { VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { KeyedEvent } from "@gateway/protocol/events.ts";
import { SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { FromBridge, SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { errorFields, log, type Routine } from "#root/src/log.ts";
import type { CommitHandler } from "../commit-handler.ts";
import type { Removal } from "../directory/removal.ts";
import type { CommitProgress } from "./commit-progress.ts";
import { closeSocket, sendFrame, type SocketAttachment } from "./session-sockets.ts";
import type { StateRows } from "./state-rows.ts";
import type { DataKeys } from "../store/data-keys.ts";
import type { ConnectionTraces } from "../tracing/traces.ts";
import { Failover, type FailoverDependencies } from "./failover.ts";
import { fastParse } from "@gateway/protocol/fast-parse.ts";
import { parseJson } from "@gateway/protocol/json.ts";
import * as z from "zod";

const STOP_TIMEOUT_MS = 10_000;

export type SessionControlDependencies = FailoverDependencies & {
  stateRows: StateRows;
  progress: CommitProgress;
  commitHandler: CommitHandler;
  bridgeSecrets: VersionedSecrets;
  routine: () => Routine;
  removal: Pick<Removal, "unlinks">;
  dataKeys: DataKeys;
  traces: ConnectionTraces;
  /** Called when a connected session attaches. Requests over an earlier socket may have been lost. */
  onUp(now: number): void;
  /** Called when the instance changed, because the alarm may have to be rescheduled. */
  onChange(): void;
};

export class SessionControl {
  readonly #deps: SessionControlDependencies;
  readonly #failover: Failover;

  constructor(deps: SessionControlDependencies) {
    this.#deps = deps;
    this.#failover = new Failover(deps, (generation, { queued, wait_ms: waitMs }) => {
      this.step({ type: "placed", generation, queued, waitMs }, Date.now());
    });
  }

  dial(request: Request): Response {
    const { bridgeSecrets, instance, link, tickets } = this.#deps;
    const bridge = bridgeOfAuthorization(bridgeSecrets, request.headers.get("authorization"))?.bridge;
    if (bridge === undefined) return link.sockets.refuse();
    const ticket = boundTicket(bridgeSecrets, request.headers.get(SESSION_TICKET_HEADER) ?? "", bridge);
    const known = ticket === null ? null : tickets.find(ticket);
    if (known === null) return link.sockets.refuse();
    const { generation } = known;
    const isWanted = generation === instance.state.generation || this.#isToUnlink(generation, bridge);
    if (!isWanted) return link.sockets.refuse();
    const accepted = link.sockets.accept(known, bridge);
    link.waiters.recheck();
    return accepted;
  }

  message(socket: WebSocket, text: string, now: number): void {
    const attachment = this.#deps.link.sockets.attachmentOf(socket);
    const read = readFrame(text);
    if (attachment === null || read === null || (read.frame.type !== "hello" && !attachment.welcomed)) {
      log("session.bad_frame", { connection: this.#deps.identity.uuid, bridge: attachment?.bridge });
      return closeSocket(socket, SESSION_CLOSE.badFrame, "bad frame");
    }
    for (const { event, field } of read.invalid) {
      log("session.event_unreadable", { connection: this.#deps.identity.uuid, type: event, field });
    }
    this.#dispatch(socket, attachment, read.frame, now);
  }

  closed(socket: WebSocket, now: number): void {
    this.#deps.link.commands.onSocketLost(socket);
    this.#deps.link.waiters.recheck();
    const attachment = this.#deps.link.sockets.attachmentOf(socket);
    if (attachment === null || !attachment.welcomed || this.#deps.link.sockets.welcomed(attachment.generation) !== null) return;
    this.step({ type: "detached", generation: attachment.generation }, now);
  }

  step(trigger: Trigger, now: number): void {
    const before = this.#deps.instance.state;
    this.#failover.apply(this.#deps.commitHandler.step(trigger, now), now);
    if (this.#deps.instance.state !== before) this.#changed();
  }

  /** Applies events for a number without a session (docs/internals/cloud.md, "Lifecycle"). Throws if they cannot be stored. */
  applyEvents(events: KeyedEvent[], now: number): void {
    const before = this.#deps.instance.state;
    this.#failover.apply(this.#deps.commitHandler.commit({ seq: null, rows: [], events, current: true }, now), now);
    if (this.#deps.instance.state !== before) this.#changed();
  }

  /** Sends changed settings to an attached session. Any other session receives them with its welcome. */
  pushSettings(): void {
    const socket = this.#deps.link.current();
    if (socket !== null) sendFrame(socket, { type: "settings", settings: this.#deps.identity.sessionSettings });
  }

  /** Detaches a lease whose socket was lost while the object was not in memory. */
  recheck(now: number): void {
    const { state } = this.#deps.instance;
    if (state.lease.phase === "attached" && this.#deps.link.sockets.welcomed(state.generation) === null) {
      this.step({ type: "detached", generation: state.generation }, now);
    }
  }

  /** Called when the home pool changed. A connected or queued session moves now, and any other session with its next generation. */
  moveToPool(home: string | null, now: number): void {
    const { instance, poolOf } = this.#deps;
    const { generation, lease, status } = instance.state;
    if (status !== "connected" && lease.phase !== "queued") return;
    this.step({ type: "hand_over", generation }, now);
    if (instance.state.generation !== generation) this.#failover.release(instance.state.generation, poolOf(home));
  }

  nextDue(now: number): number | null {
    const stopping = this.#deps.link.sockets
      .open()
      .flatMap(({ attachment }) => (attachment.stopping === null ? [] : [closesAt(attachment.stopping.at, now)]));
    return earliest([this.#deps.instance.nextDue(), this.#deps.stateRows.nextDue(), ...stopping]);
  }

  clockSetBack(now: number): void {
    this.#deps.instance.clockSetBack(now);
    this.#deps.stateRows.clockSetBack(now);
  }

  run(now: number): void {
    this.recheck(now);
    const due = this.#deps.instance.nextDue();
    if (due !== null && due <= now) this.step({ type: "tick" }, now);
    this.#deps.stateRows.run(now);
    for (const { socket, attachment } of this.#deps.link.sockets.open()) {
      if (attachment.stopping !== null && closesAt(attachment.stopping.at, now) <= now)
        closeSocket(socket, SESSION_CLOSE.stopped, "stopped");
    }
  }

  #dispatch(socket: WebSocket, attachment: SocketAttachment, frame: FromBridge, now: number): void {
    switch (frame.type) {
      case "hello":
        return this.#hello(socket, attachment, frame, now);
      case "commit":
        return this.#commit(socket, attachment, frame, now);
      case "fetch":
        return sendFrame(socket, {
          type: "rows",
          id: frame.id,
          rows: attachment.rowsDiscarded ? [] : this.#deps.stateRows.fetch(frame.keys),
        });
      case "result":
      case "failed":
        return this.#deps.link.commands.resolve(frame);
    }
  }

  #hello(socket: WebSocket, attachment: SocketAttachment, hello: Extract<FromBridge, { type: "hello" }>, now: number): void {
    const { dataKeys, instance, link, progress, stateRows } = this.#deps;
    const { bridge, generation } = attachment;
    if (hello.has_state && this.#isToUnlink(generation, bridge)) return this.#unlink(socket, attachment, now);
    if (generation !== instance.state.generation || !wantsSession(instance.state))
      return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    const redialled = progress.generation === generation;
    if (redialled && progress.bridge !== bridge) return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    if (hello.bridge_id !== bridge || hello.generation !== generation || (hello.has_state && !redialled))
      return closeSocket(socket, SESSION_CLOSE.badFrame, "bad frame");
    // If no rows are stored, a new session gets a new state key. A session that reconnects keeps the key from its first welcome.
    if (!redialled && stateRows.isEmpty()) dataKeys.renewStateKey();
    const key = dataKeys.stateKey();
    // The bridge keeps reconnecting, and can continue once the secret's entry has been restored.
    if (key === null) return closeSocket(socket, 1011, "state key not available");
    if (!this.#redeems(attachment)) return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    this.#fence(socket, generation);
    if (!redialled) progress.begin(generation, bridge);
    link.sockets.attach(socket, { ...attachment, ticket: null, welcomed: true });
    this.#welcome(socket, attachment, key);
    if (!hello.has_state) for (const slice of stateRows.slices()) sendFrame(socket, { type: "load", ...slice });
    log("session.attached", { connection: this.#deps.identity.uuid, bridge, generation, redialled }, this.#deps.routine());
    this.step({ type: "attached", generation }, now);
    if (instance.state.status === "connected") this.#deps.onUp(now);
  }

  /** Redeems the ticket. If two sockets have the same ticket, the first one to send its hello becomes the session's socket. */
  #redeems({ ticket }: SocketAttachment): boolean {
    return ticket === null || this.#deps.tickets.redeem(ticket);
  }

  #welcome(socket: WebSocket, { bridge, generation }: SocketAttachment, stateKey: string): void {
    const { bridgeSecrets, identity, progress, tickets } = this.#deps;
    sendFrame(socket, {
      type: "welcome",
      state_key: stateKey,
      resume_ticket: bindTicket(bridgeSecrets, tickets.issue(generation), bridge),
      stored_through: progress.seq,
      settings: identity.sessionSettings,
    });
  }

  /** True if the device must still be unlinked: the connection is being removed, and because of a crash, its bridge was not notified. */
  #isToUnlink(generation: number, bridge: string): boolean {
    const { progress, removal } = this.#deps;
    return removal.unlinks && progress.generation === generation && progress.bridge === bridge;
  }

  /** Marks the session as stopped first. Its bridge is still welcomed, because its last changes to the state need a commit. */
  #unlink(socket: WebSocket, attachment: SocketAttachment, now: number): void {
    const key = this.#deps.dataKeys.stateKey();
    if (key === null) return closeSocket(socket, SESSION_CLOSE.stopped, "removed");
    if (!this.#redeems(attachment)) return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    this.#deps.link.sockets.attach(socket, {
      ...attachment,
      ticket: null,
      welcomed: true,
      stopping: { at: now, logout: true, finish: false },
      rowsDiscarded: true,
    });
    sendFrame(socket, { type: "stop", logout: true });
    this.#welcome(socket, attachment, key);
  }

  /** Closes all other sockets. A reconnect replaces its own older socket, and sessions of other generations are fenced. */
  #fence(newest: WebSocket, generation: number): void {
    for (const { socket, attachment } of this.#deps.link.sockets.open()) {
      if (socket === newest || attachment.rowsDiscarded) continue;
      this.#deps.link.commands.onSocketLost(socket);
      if (attachment.generation === generation) closeSocket(socket, 1001, "dialled again");
      else closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    }
  }

  #commit(
    socket: WebSocket,
    attachment: SocketAttachment,
    { seq, rows, events: reported }: Extract<FromBridge, { type: "commit" }>,
    now: number,
  ): void {
    const { instance, commitHandler, progress, traces } = this.#deps;
    const before = instance.state;
    const discarded = attachment.rowsDiscarded;
    if (!discarded && attachment.generation !== progress.generation) return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    if (!discarded && seq > progress.seq + 1) return closeSocket(socket, SESSION_CLOSE.badFrame, "a commit is missing");
    if (!discarded && seq <= progress.seq) return sendFrame(socket, { type: "stored", seq });
    const { events, end } = traces.commit(reported);
    let effects: readonly Effect[];
    try {
      const current = attachment.generation === before.generation;
      effects = commitHandler.commit(discarded ? { seq: null, rows: [], events, current } : { seq, rows, events, current }, now);
    } catch (error) {
      end(true);
      log("session.commit_failed", { connection: this.#deps.identity.uuid, seq, ...errorFields(error) });
      return closeSocket(socket, 1011, "not stored");
    }
    sendFrame(socket, { type: "stored", seq });
    end(false);
    this.#failover.apply(effects, now);
    if (instance.state !== before) this.#changed();
    // Looks for the event, because the status is the same before and after a commit that contains both a close and the next opening.
    const opened = events.some(({ event }) => event.type === "session.open");
    if (opened && attachment.generation === instance.state.generation && instance.state.status === "connected") this.#deps.onUp(now);
  }

  #changed(): void {
    this.#deps.link.waiters.recheck();
    this.#deps.onChange();
  }
}

/** When to close a session that is stopping. The time is now if the session was stopped before the clock was set back. */
const closesAt = (stoppingAt: number, now: number): number => notAhead(stoppingAt + STOP_TIMEOUT_MS, STOP_TIMEOUT_MS, now);

/** Contains only names, never values, because an event's key contains phone numbers. */
type InvalidEvent = { event: string; field: string };

const CommitEnvelope = z.object({ type: z.literal("commit"), events: z.array(z.unknown()) }).loose();
const EventHeader = z.object({ event: z.object({ type: z.string() }).loose() }).loose();

/** Returns null if the frame is not valid. An invalid event is dropped and reported, so that it does not block the number. */
function readFrame(text: string): { frame: FromBridge; invalid: readonly InvalidEvent[] } | null {
  const json = parseJson(text);
  const frame = fastParse(FromBridge, json);
  if (frame.success) return { frame: frame.data, invalid: [] };
  const shell = CommitEnvelope.safeParse(json);
  if (!shell.success) return null;
  const invalid: InvalidEvent[] = [];
  const events = shell.data.events.flatMap((event) => {
    const readable = KeyedEvent.safeParse(event);
    if (readable.success) return [readable.data];
    invalid.push(describe(event, readable.error));
    return [];
  });
  const rest = FromBridge.safeParse({ ...shell.data, events });
  return rest.success ? { frame: rest.data, invalid } : null;
}

function describe(event: unknown, error: z.ZodError): InvalidEvent {
  const named = EventHeader.safeParse(event);
  const field = error.issues[0]?.path.join(".") ?? "";
  return named.success ? { event: named.data.event.type, field } : { event: "", field };
}
