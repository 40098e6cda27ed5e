// Authenticates a request by an app's token for an account, or as the app itself by `{id}|{secret}`.
import type { CloudNetwork } from "../cloud-network.ts";
import type { App, Token } from "../model.ts";
import { graphError, type GraphReply } from "./errors.ts";
import { groupOf } from "../ids.ts";
import type { GraphDependencies, Nodes } from "./route.ts";
import { statement, type Database } from "../../phone/store/database.ts";

export type Access = { ok: true; app: App; token: Token | null } | { ok: false; reply: GraphReply };

export function accessOf(cloud: CloudNetwork, headers: Headers, query: URLSearchParams): Access {
  const given = credentialOf(headers, query);
  if (given === null) return refused(190, "An access token is required to request this resource.", 104);
  const [id = "", secret] = given.split("|");
  if (secret !== undefined) {
    const app = cloud.app(id);
    return app?.app_secret === secret
      ? { ok: true, app, token: null }
      : refused(190, "Error validating application. Cannot get application info due to a system error.");
  }
  const token = cloud.documents.get("token", given);
  const app = token && cloud.app(token.app_id);
  if (!token || !app) return refused(190, "Invalid OAuth access token - Cannot parse access token");
  if (token.expires_at !== null && token.expires_at <= cloud.now()) {
    return refused(190, "Error validating access token: Session has expired", 463);
  }
  const proof = query.get("appsecret_proof");
  if (proof !== null && !cloud.isProof(app, given, proof)) {
    return { ok: false, reply: graphError(100, { message: "Invalid appsecret_proof provided in the API argument" }) };
  }
  return { ok: true, app, token };
}

export function credentialOf(headers: Headers, query: URLSearchParams): string | null {
  const [, given] = /^(?:Bearer|OAuth) +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return given ?? query.get("access_token");
}

function refused(code: number, message: string, subcode?: number): Access {
  return { ok: false, reply: graphError(code, { message, subcode }) };
}

export type Found = { [K in keyof Nodes]: { kind: K; node: Nodes[K]; number: string | null } }[keyof Nodes];

export function find(deps: GraphDependencies, id: string, who: { app: App; token: Token | null }): Found | null {
  const found = lookUp(deps, id);
  if (!found) return null;
  const mayWaba = (waba: string): boolean => who.token === null || who.token.waba_id === waba;
  switch (found.kind) {
    case "app":
      return found.node.app.app_id === who.app.app_id ? found : null;
    case "upload":
      return found.node.upload.app_id === who.app.app_id ? found : null;
    case "waba":
      return mayWaba(found.node.waba.waba_id) ? found : null;
    default:
      return mayWaba(found.node.number.waba_id) ? found : null;
  }
}

function lookUp({ cloud, network, phones }: GraphDependencies, id: string): Found | null {
  const ofNumber = (phone_number_id: string) => {
    const number = cloud.number(phone_number_id);
    const phone = number && phones.get(number.phone);
    return number && phone ? { number, phone } : null;
  };
  const own = ofNumber(id);
  if (own) return { kind: "number", node: own, number: id };
  const app = cloud.app(id);
  if (app) return { kind: "app", node: { app }, number: numberWith(cloud, (one) => one.app_id === id) };
  const waba = cloud.waba(id);
  if (waba) return { kind: "waba", node: { waba }, number: numberWith(cloud, (one) => one.waba_id === id) };
  const media = cloud.documents.get("media", id);
  const owner = media && cloud.number(media.phone_number_id);
  if (media && owner) return { kind: "media", node: { media, number: owner }, number: owner.phone_number_id };
  const upload = cloud.documents.get("upload", id);
  if (upload) return { kind: "upload", node: { upload }, number: numberWith(cloud, (one) => one.app_id === upload.app_id) };
  const named = groupOf(id);
  const host = named && ofNumber(cloud.numberOf(named.phone)?.phone_number_id ?? "");
  if (!named || !host || !network.groups.get(named.group)?.members.has(named.phone)) return null;
  return { kind: "group", node: { ...host, group: named.group, groupId: id }, number: host.number.phone_number_id };
}

/** Faults belong to a number, so the oldest number's faults apply to an object that several numbers share. */
function numberWith(cloud: GraphDependencies["cloud"], meant: (number: { app_id: string; waba_id: string }) => boolean): string | null {
  return cloud.documents.list("number").find(meant)?.phone_number_id ?? null;
}

// Log of all Graph requests and responses, for comparison with Meta's description. Credentials are cut to their last four characters.
type RequestRecord = {
  at: number;
  phone_number_id: string | null;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** The JSON body as received, or a form's fields, with files as `{ type, size, sha256, filename }`. Null without a body. */
  body: unknown;
  status: number | null;
  answer: unknown;
  fault: string | null;
  took_ms: number;
};

const REQUEST_RETENTION = 20_000;
const SHOWN_HEADERS = ["content-type", "user-agent", "file_offset"];

export class RequestLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  write(record: RequestRecord): void {
    const { lastInsertRowid } = statement(this.#db, "INSERT INTO cloud_request (number, record) VALUES (?, ?)").run(
      record.phone_number_id,
      JSON.stringify(record),
    );
    const last = Number(lastInsertRowid);
    if (last % 1_000 === 0) statement(this.#db, "DELETE FROM cloud_request WHERE seq <= ?").run(last - REQUEST_RETENTION);
  }

  list(limit: number, number: string | null): Array<RequestRecord & { id: string }> {
    const rows = statement(
      this.#db,
      "SELECT seq, record FROM cloud_request WHERE ?1 IS NULL OR number = ?1 ORDER BY seq DESC LIMIT ?2",
    ).all(number, limit);
    return rows.reverse().map((row) => ({ id: String(row["seq"]), ...(JSON.parse(String(row["record"])) as RequestRecord) }));
  }
}

export function shownHeaders(headers: Headers): Record<string, string> {
  const shown = SHOWN_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : []));
  const credential = headers.get("authorization");
  if (credential !== null) shown.push(["authorization", lastFour(credential)]);
  return Object.fromEntries(shown) as Record<string, string>;
}

export function shownQuery(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].map(([name, value]) => [name, name === "access_token" ? lastFour(value) : value]));
}

export function shownAnswer({ json, bytes }: GraphReply): unknown {
  return bytes ? { size: bytes.length } : (json ?? null);
}

function lastFour(text: string): string {
  return `…${text.slice(-4)}`;
}
