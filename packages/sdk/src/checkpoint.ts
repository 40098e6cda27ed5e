// Stores a listener's place in a file, for Node, Bun and Deno. Each event appends a line, so a killed process loses at most the last one.
/// <reference types="node" />
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Checkpoint, type ListenerPlace, RecentIds } from "./listen.ts";

const MAX_LINES = 20_000;

/** Use each file in only one process. */
export function fileCheckpoint(path: string): Checkpoint {
  let file: number | null = null;
  let lines = 0;
  let place: ListenerPlace = { listener: "", place: null, ids: [], at: null };
  let ids = new RecentIds([]);

  const open = (): number => {
    if (file !== null) return file;
    mkdirSync(dirname(path), { recursive: true });
    return (file = openSync(path, "a", 0o600));
  };
  const append = (line: object): void => {
    writeSync(open(), `${JSON.stringify(line)}\n`);
    lines += 1;
    if (lines > MAX_LINES) rewrite();
  };
  /** Replaces the file in one step, so that a crash leaves the old or the new one. */
  const rewrite = (): void => {
    const next = `${path}.new`;
    writeFileSync(next, `${JSON.stringify({ ...place, ids: ids.list() })}\n`, { mode: 0o600 });
    renameSync(next, path);
    if (file !== null) closeSync(file);
    [file, lines] = [null, 1];
  };
  return {
    load: async () => {
      if (!existsSync(path)) return null;
      // The last line is incomplete if the process was killed while writing it.
      const whole = readFileSync(path, "utf8").split("\n").slice(0, -1);
      for (const text of whole) {
        const { ids: all, id, ...rest } = JSON.parse(text) as Partial<ListenerPlace> & { id?: string | null };
        place = { ...place, ...rest };
        if (all !== undefined) ids = new RecentIds(all);
        if (typeof id === "string") ids.add(id);
      }
      rewrite();
      return place.listener === "" ? null : { ...place, ids: ids.list() };
    },
    start: async (listener) => {
      place = { ...place, listener, place: null };
      append({ listener, place: null });
    },
    save: async ({ listener, place: number, id, at }) => {
      place = { ...place, listener, place: number, at };
      if (id !== null) ids.add(id);
      append({ place: number, id, at });
    },
  };
}
