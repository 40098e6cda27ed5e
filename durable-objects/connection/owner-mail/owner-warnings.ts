// Warning emails, one per incident, derived from the current state. The owner's `alerts` settings control only some kinds.
import { log } from "#root/src/log.ts";
import type { InstanceState } from "@gateway/domain/instance/state.ts";
import type { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { MINUTE_MS, earliest } from "@gateway/protocol/units.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import { MAIL_LEASE_MS, nextMailTry } from "../../shared/mail-retries.ts";

const WANTED: ReadonlySet<InstanceState["reason"]> = new Set(["created", "manual", "account_suspended"]);

type WarningKind = "connection_down" | "webhook_failing" | "number_restricted" | "phone_unseen" | "credentials_refused" | "number_changed";
/** `since` distinguishes incidents of the same kind. Times are in Unix ms. */
type Occasion = { kind: WarningKind; since: number; dueAt: number };

export type OwnerWarningsDependencies = {
  sql: SqlStorage;
  settings: () => InstanceSettings["alerts"];
  state: () => InstanceState;
  webhookFailingSince: () => number | null;
  name: () => string;
  mailOwner: (mail: OwnerNotice) => Promise<boolean>;
  rearm: () => void;
};

type WarningRow = { kind: WarningKind; since: number; due_at: number | null; tries: number };

export class OwnerWarnings {
  readonly #deps: OwnerWarningsDependencies;
  /** The last incident of each kind, read once per wake-up. `due_at` is null if the incident has been handled. */
  #rows: Map<WarningKind, WarningRow> | null = null;

  constructor(deps: OwnerWarningsDependencies) {
    this.#deps = deps;
  }

  nextDue(): number | null {
    return earliest(this.#waiting().map(({ dueAt }) => dueAt));
  }

  clockSetBack(): void {
    this.#rows = null;
  }

  run(now: number): void {
    for (const { kind, since } of this.#waiting().filter(({ dueAt }) => dueAt <= now)) {
      const before = this.#known().get(kind);
      const tries = before?.since === since ? before.tries + 1 : 1;
      this.#store({ kind, since, due_at: now + MAIL_LEASE_MS, tries });
      void this.#send(kind, since, tries, now);
    }
  }

  #waiting(): Occasion[] {
    return this.#occasions().flatMap((occasion) => {
      const row = this.#known().get(occasion.kind);
      if (row?.since !== occasion.since) return [occasion];
      return row.due_at === null ? [] : [{ ...occasion, dueAt: row.due_at }];
    });
  }

  #occasions(): Occasion[] {
    const { stopped, disconnected_minutes: down, webhook_failing_minutes: failing, restricted } = this.#deps.settings();
    const state = this.#deps.state();
    const found: Occasion[] = [];
    const add = (kind: WarningKind, since: number | null, minutes: number) => {
      if (since !== null) found.push({ kind, since, dueAt: since + minutes * MINUTE_MS });
    };
    if (down !== null) add("connection_down", downSince(state), down);
    if (failing !== null) add("webhook_failing", this.#deps.webhookFailingSince(), failing);
    if (stopped) add("credentials_refused", refusedSince(state), 0);
    if (state.paired) add("phone_unseen", state.phoneUnseenSince, 0);
    if (state.numberChange !== null) add("number_changed", state.numberChange.at, 0);
    if (restricted && state.restriction !== null) add("number_restricted", state.restriction.detected_at * 1_000, 0);
    return found;
  }

  async #send(kind: WarningKind, since: number, tries: number, now: number): Promise<void> {
    const sent = await this.#deps
      .mailOwner(mailOf(kind, { connection: this.#deps.name(), settings: this.#deps.settings(), state: this.#deps.state() }))
      .catch(() => false);
    // A warning about a newer incident may have been sent in the meantime.
    if (this.#known().get(kind)?.since === since) this.#store({ kind, since, due_at: sent ? null : nextMailTry(tries, now), tries });
    if (!sent) log("session.mail_failed", { tries });
    this.#deps.rearm();
  }

  #known(): Map<WarningKind, WarningRow> {
    this.#rows ??= new Map(
      this.#deps.sql
        .exec<WarningRow>("SELECT kind, since, due_at, tries FROM owner_warning")
        .toArray()
        .map((row) => [row.kind, row]),
    );
    return this.#rows;
  }

  #store(row: WarningRow): void {
    const { kind, since, due_at: dueAt, tries } = row;
    this.#deps.sql.exec("INSERT OR REPLACE INTO owner_warning (kind, since, due_at, tries) VALUES (?, ?, ?, ?)", kind, since, dueAt, tries);
    this.#known().set(kind, row);
  }
}

function downSince({ connectedAt, lastDisconnectedAt, reason }: InstanceState): number | null {
  return connectedAt !== null || WANTED.has(reason) ? null : lastDisconnectedAt;
}

/** When the Cloud API began to refuse a connected number. Null if it does not, or if a caller has already seen the failure. */
function refusedSince({ reason, changedAt, lastDisconnectedAt }: InstanceState): number | null {
  return reason === "cloud_token_invalid" && lastDisconnectedAt === changedAt ? changedAt : null;
}

type About = { connection: string; settings: InstanceSettings["alerts"]; state: InstanceState };

function mailOf(kind: WarningKind, about: About): OwnerNotice {
  const { subject, text } = TEXTS[kind](about);
  return { kind, subject, text };
}

const TEXTS: Record<WarningKind, (about: About) => Omit<OwnerNotice, "kind">> = {
  connection_down: ({ connection, settings: { disconnected_minutes: minutes } }) => ({
    subject: `Conexão fora do ar: ${connection} / Connection down`,
    text: `A conexão "${connection}" está desconectada há ${minutes} minutos ou mais.

No painel, a visão geral mostra o motivo e o que fazer.

---

The connection "${connection}" has been disconnected for ${minutes} minutes or more.

In the dashboard, the overview shows why and what to do.`,
  }),
  webhook_failing: ({ connection, settings: { webhook_failing_minutes: minutes } }) => ({
    subject: `Webhook falhando: ${connection} / Webhook failing`,
    text: `O webhook da conexão "${connection}" não aceita nenhuma entrega há ${minutes} minutos ou mais. Se isso durar 72 horas, o webhook será desativado.

O painel mostra cada entrega e a resposta do seu servidor.

---

The webhook of the connection "${connection}" has not accepted a delivery for ${minutes} minutes or more. If this lasts 72 hours, the webhook will be disabled.

The dashboard shows each delivery and your server's response.`,
  }),
  phone_unseen: ({ connection }) => ({
    subject: `Celular desligado? ${connection} / Phone switched off?`,
    text: `O celular do número da conexão "${connection}" não dá sinal há dez dias ou mais. Depois de 14 dias sem internet no celular, o WhatsApp desconecta todos os dispositivos dele, e você precisa parear o número de novo.

Ligue o celular, conecte à internet e abra o WhatsApp uma vez. Não precisa fazer mais nada.

---

The phone of the connection "${connection}" has been silent for ten days or more. If a phone is offline for 14 days, WhatsApp unlinks all its devices, and you have to pair the number again.

Switch the phone on, connect it to the internet, and open WhatsApp once. You don't need to do anything else.`,
  }),
  credentials_refused: ({ connection }) => ({
    subject: `Token recusado: ${connection} / Token refused`,
    text: `A Meta não aceita mais o token de acesso da conexão "${connection}": ele expirou, foi revogado ou perdeu o acesso ao número. A conexão não envia mais nada, mas continua recebendo.

Gere um novo token no painel da Meta e troque o token na visão geral da conexão.

---

Meta no longer accepts the access token of the connection "${connection}": it expired, was revoked, or lost access to the number. The connection cannot send, but it still receives.

Create a new token in Meta's dashboard, and change it on the connection's overview.`,
  }),
  number_changed: ({ connection, state: { numberChange } }) => ({
    subject: `Novo pareamento: ${connection} / New pairing`,
    text: `A conexão "${connection}" foi pareada com outro número: antes ${numberChange?.from ?? ""}, agora ${numberChange?.to ?? ""}.

Se não foi você, encerre a sessão no painel. Os ajustes da conexão mostram quem fez o quê e quem tem acesso.

---

The connection "${connection}" was paired with another number: before ${numberChange?.from ?? ""}, now ${numberChange?.to ?? ""}.

If that wasn't you, log the number out in the dashboard. The connection's settings show who did what and who has access.`,
  }),
  number_restricted: ({ connection }) => ({
    subject: `Número restrito: ${connection} / Number restricted`,
    text: `Por enquanto, o WhatsApp não deixa o número da conexão "${connection}" iniciar novas conversas. As que já existem continuam funcionando.

Não insista: isso prolonga a restrição. O painel mostra quando ela termina, se o WhatsApp informar.

---

For now, WhatsApp does not let the number of the connection "${connection}" start new chats. Existing chats keep working.

Don't keep trying: that prolongs the restriction. The dashboard shows when it ends, if WhatsApp says so.`,
  }),
};
