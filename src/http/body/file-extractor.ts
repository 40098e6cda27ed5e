// Takes the files out of a JSON text while it arrives: every string that is the value of a key `base64` is decoded on the way, and a
// short name stands in its place. So 25 MB of JSON cost 18 MB of memory, and the parser never sees them (docs/admission.md, "Request
// bodies").
import { Base64Decoder } from "./base64-decoder.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import { InlineFile } from "./inline-file.ts";

const KEY = new TextEncoder().encode("base64");
const [QUOTE, BACKSLASH, COLON, LETTER_U] = [0x22, 0x5c, 0x3a, 0x75];
/** An escaped slash is one; the other short escapes mean letters that Base64 does not have. */
const SLASH = 0x2f;
const NO_LETTER = Number.MAX_SAFE_INTEGER;
/** Bound of the JSON without its files: the longest text is 65,536 characters of at most 12 bytes. */
export const MAX_REST_BYTES = 4 * 1024 * 1024;

export class FileExtractor {
  #rest = new ByteBuffer(1024);
  #restBytes = 0;
  #afterSpace = false;
  readonly #files: InlineFile[] = [];
  /** Random, so that no text of the request can be mistaken for a placeholder. */
  readonly #mark = crypto.randomUUID();
  #where: "outside" | "string" | "file" = "outside";
  #decoder = new Base64Decoder();
  /** Bytes of the string so far, and whether they spell the key. */
  #length = 0;
  #isKey = false;
  /** `colon`: the string just ended is `base64`; `value`: and a colon has followed it. */
  #awaits: "nothing" | "colon" | "value" = "nothing";
  /** null: no escape is being read; else its bytes after the backslash. */
  #escape: number[] | null = null;

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#where === "outside") at = this.#outside(chunk, at);
      else if (this.#where === "string") at = this.#string(chunk, at);
      else at = this.#file(chunk, at);
    }
  }

  get isTooLong(): boolean {
    return this.#restBytes > MAX_REST_BYTES;
  }

  /** The value of the text, files in their places. Throws like `JSON.parse` and a strict decoder. */
  parse(): unknown {
    const names = new Map(this.#files.map((file, place) => [this.#nameOf(place), file]));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(this.#rest.bytes());
    return JSON.parse(text, (key, value: unknown) => {
      if (key !== "base64" || typeof value !== "string") return value;
      return names.get(value) ?? decoded(value);
    });
  }

  #outside(chunk: Uint8Array, from: number): number {
    let at = from;
    let start = from;
    for (; at < chunk.length && chunk[at] !== QUOTE; at += 1) {
      if (!isSpace(chunk[at])) {
        this.#awaits = chunk[at] === COLON && this.#awaits === "colon" ? "value" : "nothing";
        this.#afterSpace = false;
      } else if (this.#afterSpace) {
        // Runs of white space are cut to one byte, so that padding costs no memory.
        this.#append(chunk.subarray(start, at));
        while (isSpace(chunk[at + 1])) at += 1;
        start = at + 1;
      } else this.#afterSpace = true;
    }
    this.#append(chunk.subarray(start, at));
    if (at === chunk.length) return at;
    this.#afterSpace = false;
    if (this.#awaits === "value") this.#beginFile();
    else this.#beginString();
    return at + 1;
  }

  #append(piece: Uint8Array): void {
    this.#restBytes += piece.length;
    if (this.isTooLong) this.#rest = new ByteBuffer(0);
    else if (piece.length > 0) this.#rest.append(piece);
  }

  #beginString(): void {
    this.#append(Uint8Array.of(QUOTE));
    this.#where = "string";
    this.#length = 0;
    this.#isKey = true;
    this.#escape = null;
  }

  #string(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#escape !== null) this.#escape = null;
      else if (byte === BACKSLASH) this.#escape = [];
      else if (byte === QUOTE) break;
      if (this.#isKey && byte !== KEY[this.#length]) this.#isKey = false;
      this.#length += 1;
    }
    const ended = at < chunk.length;
    this.#append(chunk.subarray(from, ended ? at + 1 : at));
    if (!ended) return at;
    this.#where = "outside";
    this.#awaits = this.#isKey && this.#length === KEY.length ? "colon" : "nothing";
    return at + 1;
  }

  #beginFile(): void {
    this.#where = "file";
    this.#awaits = "nothing";
    this.#decoder = new Base64Decoder();
    this.#escape = null;
  }

  #file(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at] as number;
      if (this.#escape !== null) this.#readEscape(byte);
      else if (byte === QUOTE) {
        this.#endFile();
        return at + 1;
      } else if (byte === BACKSLASH) this.#escape = [];
      else {
        const end = endOfRun(chunk, at);
        this.#decoder.push(chunk, at, end);
        at = end;
        continue;
      }
      at += 1;
    }
    return at;
  }

  /** Some writers of JSON escape the slash, others the plus sign. */
  #readEscape(byte: number): void {
    const read = [...(this.#escape ?? []), byte];
    this.#escape = read;
    if (read[0] !== LETTER_U) this.#decoder.pushCode(byte === SLASH ? byte : NO_LETTER);
    else if (read.length < 5) return;
    else this.#decoder.pushCode(hexadecimal(read.slice(1)));
    this.#escape = null;
  }

  #endFile(): void {
    this.#files.push(new InlineFile(this.#decoder.end(), this.#decoder.isDataUrl));
    this.#decoder = new Base64Decoder();
    this.#append(new TextEncoder().encode(JSON.stringify(this.#nameOf(this.#files.length - 1))));
    this.#where = "outside";
  }

  #nameOf(place: number): string {
    return `${this.#mark} ${place}`;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The end of the run without quotes and escapes. */
function endOfRun(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at += 1;
  return at;
}

function hexadecimal(bytes: readonly number[]): number {
  const text = String.fromCharCode(...bytes);
  return /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : NO_LETTER;
}

/** The key was written with an escape, which no client does: its value came through as text. */
function decoded(text: string): InlineFile {
  const decoder = new Base64Decoder();
  const bytes = new TextEncoder().encode(text);
  decoder.push(bytes, 0, bytes.length);
  return new InlineFile(decoder.end(), decoder.isDataUrl);
}
