// The file in which a connection is moved: an SQLite database of encrypted parts. Only the machine with the address can open it.
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { parseJson } from "@gateway/protocol/json.ts";
import { flushToDisk, wholeOrDeleted } from "../files.ts";
import { keyFor, keyFrom } from "./address.ts";
import { seal, unseal } from "./sealing.ts";

const PART_BYTES = 4 << 20;
const MANIFEST = "manifest";
const VERSION = 1;

const Header = z.object({ version: z.literal(VERSION), id: z.uuid(), to: z.string(), sender: z.string() });
type Header = z.infer<typeof Header>;

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export const Manifest = z.object({
  uuid: z.uuid(),
  format: z.string(),
  /** The connection's row in D1. */
  connection: Row,
  media: z.array(Row),
  data_keys: z.array(z.object({ name: z.string(), key: z.base64() })),
  key_secret: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: z.number().int() })),
});
export type Manifest = z.infer<typeof Manifest>;

export type Packed = Omit<Manifest, "files"> & { files: { name: string; path: string }[] };

/** The file gets its name only when it is complete and on disk. */
export function writePackage(file: string, id: string, to: string, packed: Packed): void {
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  wholeOrDeleted(unfinished, () => {
    fill(unfinished, id, to, packed);
    flushToDisk(unfinished);
    renameSync(unfinished, file);
  });
  flushToDisk(dirname(file));
}

function fill(file: string, id: string, to: string, packed: Packed): void {
  const { key, sender } = keyFor(to);
  const header: Header = { version: VERSION, id, to, sender };
  const database = new DatabaseSync(file);
  try {
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE header (json TEXT);
      CREATE TABLE part (name TEXT, number INTEGER, sealed BLOB, PRIMARY KEY (name, number))`);
    database.prepare("INSERT INTO header (json) VALUES (?)").run(JSON.stringify(header));
    const insert = database.prepare("INSERT INTO part (name, number, sealed) VALUES (?, ?, ?)");
    const add = (name: string, number: number, bytes: Uint8Array) =>
      insert.run(name, number, seal(key, bytes, contextOf(id, name, number)));
    const files = packed.files.map(({ name, path }) => ({ name, bytes: addFile(path, (number, bytes) => add(name, number, bytes)) }));
    add(MANIFEST, 0, Buffer.from(JSON.stringify({ ...packed, files } satisfies Manifest)));
  } finally {
    database.close();
  }
}

export type OpenedPackage = {
  id: string;
  manifest: Manifest;
  /** Throws if a part is missing or damaged. */
  extract(name: string, target: string): void;
  close(): void;
};

/** Throws an error for the operator if the file is damaged or meant for another machine. */
export function openPackage(file: string, dataFolder: string, address: string): OpenedPackage {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const header = headerOf(database);
    if (header === null) throw new Error(`${file} was not made by this release's export`);
    if (header.to !== address) throw new Error(`${file} was exported to another machine, whose address is ${header.to}`);
    const key = keyFrom(dataFolder, header.sender);
    const part = database.prepare("SELECT sealed FROM part WHERE name = ? AND number = ?");
    const read = (name: string, number: number) => {
      const sealed = part.get(name, number)?.["sealed"];
      try {
        return unseal(key, sealed as Uint8Array, contextOf(header.id, name, number));
      } catch {
        throw new Error(`${file} is damaged (part ${number} of ${name}); copy it again, or repeat the export`);
      }
    };
    const manifest = Manifest.parse(parseJson(read(MANIFEST, 0).toString()));
    const bytesOf = new Map(manifest.files.map(({ name, bytes }) => [name, bytes]));
    return {
      id: header.id,
      manifest,
      extract(name, target) {
        const output = openSync(target, "w", 0o600);
        let written = 0;
        for (let number = 0; written < (bytesOf.get(name) ?? 0); number++) written += writeSync(output, read(name, number));
        closeSync(output);
        flushToDisk(target);
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function headerOf(database: DatabaseSync): Header | null {
  try {
    return Header.safeParse(parseJson(String(database.prepare("SELECT json FROM header").get()?.["json"]))).data ?? null;
  } catch {
    // The file is another database, or not a database at all.
    return null;
  }
}

function addFile(path: string, add: (number: number, bytes: Uint8Array) => void): number {
  const input = openSync(path, "r");
  const buffer = Buffer.alloc(PART_BYTES);
  let total = 0;
  for (let number = 0; ; number++) {
    const bytes = readSync(input, buffer);
    if (bytes === 0) break;
    add(number, buffer.subarray(0, bytes));
    total += bytes;
  }
  closeSync(input);
  return total;
}

const contextOf = (id: string, name: string, number: number) => `${id} ${name} ${number}`;
