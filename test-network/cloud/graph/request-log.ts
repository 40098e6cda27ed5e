// Log of all Graph requests and responses, for comparison with Meta's description. Credentials are cut to their last four characters.
import { statement, type Database } from "../../phone/store/database.ts";
import type { GraphReply } from "./errors.ts";

export interface RequestRecord {
  at: number;
  phone_number_id: string | null;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** The JSON body as received. For a form, its fields, with files as `{ type, size, sha256, filename }`; null without a body. */
  body: unknown;
  status: number | null;
  answer: unknown;
  fault: string | null;
  took_ms: number;
}

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
