// Files in the user's state folder: a listener's position, and its last forwarded events, so that `events resend` can repeat one.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Io } from "../command.ts";
import type { Scheme } from "./signing.ts";

const KEPT = 200;
const SUFFIX = ".events";

/** `url` says where the event was posted, and `scheme` how it was signed. */
export type KeptEvent = { id: string; type: string; body: string; url: string; scheme: Scheme };

function stateFolder({ env }: Pick<Io, "env">): string {
  return join(env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "gateway");
}

/** Each combination of gateway, key, URL and event types has its own file. */
export function placeFile(io: Pick<Io, "env">, place: object): string {
  const name = createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 16);
  return join(stateFolder(io), `listen-${name}`);
}

/** Keeps the last events of one listener in a file that only the user can read. */
export class History {
  readonly #file: string;
  #lines: string[];

  constructor(place: string) {
    this.#file = place + SUFFIX;
    this.#lines = linesOf(this.#file);
  }

  add(event: KeptEvent): void {
    const line = JSON.stringify(event);
    this.#lines.push(line);
    mkdirSync(dirname(this.#file), { recursive: true });
    if (this.#lines.length <= 2 * KEPT) {
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 });
      return;
    }
    this.#lines = this.#lines.slice(-KEPT);
    writeFileSync(`${this.#file}.new`, `${this.#lines.join("\n")}\n`, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** The newest event with this id, from any listener on this machine. */
export function keptEvent(io: Pick<Io, "env">, id: string): KeptEvent | null {
  if (!existsSync(stateFolder(io))) return null;
  const files = readdirSync(stateFolder(io)).filter((name) => name.endsWith(SUFFIX));
  const found = files.flatMap((file) => linesOf(join(stateFolder(io), file)).flatMap(parsed));
  return found.findLast((event) => event.id === id) ?? null;
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

/** A killed process may have left half a line, to which the next process then appended. */
function parsed(line: string): KeptEvent[] {
  try {
    return [JSON.parse(line) as KeptEvent];
  } catch {
    return [];
  }
}
