// Extracts files from JSON as it arrives, so that 25 MB of JSON need only 18 MB of memory. Also enforces the other limits.
import { LIMITS } from "@gateway/domain/limits.ts";
import { Base64Decoder, releaseAll } from "./base64-decoder.ts";
import { ByteBuffer } from "./byte-buffer.ts";

const KEY = new TextEncoder().encode("base64");
const [QUOTE, BACKSLASH, COLON, COMMA, LETTER_U] = [0x22, 0x5c, 0x3a, 0x2c, 0x75];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];
/** `\/` is a slash. The other short escapes never encode Base64 characters. */
const SLASH = 0x2f;
const UNICODE_DIGITS = 4;
/** Larger than any character code, even after more digits are appended. */
const NO_LETTER = 0x100000;
const DIGITS = new Uint32Array(256).fill(NO_LETTER);
for (let value = 0; value < 16; value += 1) {
  for (const digit of [value.toString(16), value.toString(16).toUpperCase()]) DIGITS[digit.charCodeAt(0)] = value;
}

/** The response's `details`, which show the limit that the text exceeds. */
export type Excess = { limit_bytes: number } | { limit_depth: number } | { limit_values: number } | { limit_files: number };

/** `halves` contains the paths of strings with lone surrogates. */
export type ExtractedJson = { value: unknown; halves: string[] };

export class FileExtractor {
  readonly #maxFiles: number;
  readonly #rest = new ByteBuffer(1024, { largeBytes: LIMITS.unscreenedBytes, largestBytes: LIMITS.jsonBytes });
  #excess: Excess | null = null;
  #depth = 0;
  #values = 0;
  #afterSpace = false;
  readonly #files: InlineFile[] = [];
  /** The placeholder is random, so that no text in the request can be mistaken for it. */
  readonly #mark = crypto.randomUUID();
  #where: "outside" | "string" | "file" = "outside";
  #decoder: Base64Decoder | null = null;
  #length = 0;
  #isKey = false;
  /** `colon` means that a `base64` string has just ended, and `value` that a colon followed it. */
  #awaits: "nothing" | "colon" | "value" = "nothing";
  /** Number of bytes read within an escape, or null outside of escapes. */
  #escape: number | null = null;
  #code = 0;

  /** With `maxFiles` 0, `base64` strings are treated like other strings. */
  constructor(maxFiles: number = LIMITS.filesPerBody) {
    this.#maxFiles = maxFiles;
  }

  /** After a limit is exceeded, nothing more is read. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && this.#excess === null) {
      if (this.#where === "outside") at = this.#outside(chunk, at);
      else if (this.#where === "string") at = this.#string(chunk, at);
      else at = this.#file(chunk, at);
    }
  }

  get jsonBytes(): number {
    return this.#rest.size;
  }

  get excess(): Excess | null {
    return this.#excess;
  }

  /** Parses the text and inserts the files. Throws if the text is not valid UTF-8 or JSON. Call it only once. */
  parse(): ExtractedJson {
    const names = new Map(this.#files.map((file, place) => [this.#nameOf(place), file]));
    const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(this.#rest.bytes());
    this.#rest.release();
    const halves: string[] = [];
    // A `base64` key that is written with an escape was not recognized earlier, so its value is decoded here.
    let left = this.#maxFiles - this.#files.length;
    const fileOf = (text: string): InlineFile | string => names.get(text) ?? (left-- > 0 ? decoded(text) : text);
    const visit = (value: unknown, path: string): void => {
      if (typeof value === "string" && !value.isWellFormed()) halves.push(path);
      if (typeof value !== "object" || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        const place = (path === "" ? key : `${path}.${key}`).toWellFormed();
        if (!key.isWellFormed()) halves.push(place);
        if (key === "base64" && typeof inner === "string" && this.#maxFiles > 0) (value as Record<string, unknown>)[key] = fileOf(inner);
        else visit(inner, place);
      }
    };
    const root = { value: JSON.parse(json) as unknown };
    visit(root.value, "");
    return { value: root.value, halves };
  }

  /** Releases all memory, because the files are not needed. */
  release(): void {
    this.#rest.release();
    this.#decoder?.release();
    this.#decoder = null;
    for (const file of this.#files.splice(0)) file.release();
  }

  #outside(chunk: Uint8Array, from: number): number {
    let at = from;
    let start = from;
    for (; at < chunk.length && chunk[at] !== QUOTE; at += 1) {
      if (!isSpace(chunk[at] as number)) {
        this.#awaits = chunk[at] === COLON && this.#awaits === "colon" ? "value" : "nothing";
        this.#afterSpace = false;
        if (this.#count(chunk[at])) return chunk.length;
      } else if (this.#afterSpace) {
        // Collapses white space, so that padding costs no memory.
        this.#append(chunk.subarray(start, at));
        while (at + 1 < chunk.length && isSpace(chunk[at + 1] as number)) at += 1;
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

  #count(mark: number | undefined): boolean {
    if (mark === BRACE || mark === BRACKET) {
      this.#depth += 1;
      this.#values += 1;
      if (this.#depth > LIMITS.jsonDepth) this.#exceed({ limit_depth: LIMITS.jsonDepth });
    } else if (mark === BRACE_END || mark === BRACKET_END) this.#depth -= 1;
    else if (mark === COMMA) this.#values += 1;
    if (this.#values > LIMITS.jsonValues) this.#exceed({ limit_values: LIMITS.jsonValues });
    return this.#excess !== null;
  }

  #exceed(excess: Excess): void {
    this.#excess ??= excess;
    this.release();
  }

  #append(piece: Uint8Array): void {
    if (this.#rest.size + piece.length > LIMITS.jsonBytes) this.#exceed({ limit_bytes: LIMITS.jsonBytes });
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
      else if (byte === BACKSLASH) this.#escape = 0;
      else if (byte === QUOTE) break;
      if (this.#isKey && byte !== KEY[this.#length]) this.#isKey = false;
      this.#length += 1;
    }
    const ended = at < chunk.length;
    this.#append(chunk.subarray(from, ended ? at + 1 : at));
    if (!ended) return at;
    this.#where = "outside";
    this.#awaits = this.#isKey && this.#length === KEY.length && this.#maxFiles > 0 ? "colon" : "nothing";
    return at + 1;
  }

  #beginFile(): void {
    this.#where = "file";
    this.#awaits = "nothing";
    this.#decoder = new Base64Decoder();
    this.#escape = null;
    if (this.#files.length >= this.#maxFiles) this.#exceed({ limit_files: this.#maxFiles });
  }

  #file(chunk: Uint8Array, from: number): number {
    let at = from;
    // Continues the search only after the last match, so that even a text full of escapes takes linear time.
    let quote = -1;
    while (at < chunk.length) {
      if (quote < at) quote = indexOr(chunk.indexOf(QUOTE, at), chunk.length);
      if (this.#escape !== null) this.#readEscape(chunk[at] as number);
      else if (at === quote) {
        this.#endFile();
        return at + 1;
      } else if (chunk[at] === BACKSLASH) this.#escape = 0;
      else {
        const end = at + indexOr(chunk.subarray(at, quote).indexOf(BACKSLASH), quote - at);
        this.#decoder?.push(chunk, at, end);
        at = end;
        continue;
      }
      at += 1;
    }
    return at;
  }

  /** Some JSON writers escape the slash and others the plus sign, so Base64 may contain either escape. */
  #readEscape(byte: number): void {
    const place = this.#escape ?? 0;
    this.#escape = place + 1;
    if (place === 0) this.#code = byte === LETTER_U ? 0 : byte === SLASH ? SLASH : NO_LETTER;
    else this.#code = this.#code * 16 + (DIGITS[byte] as number);
    if (place < UNICODE_DIGITS && (place > 0 || byte === LETTER_U)) return;
    this.#decoder?.pushCode(this.#code);
    this.#escape = null;
  }

  #endFile(): void {
    if (this.#decoder !== null) this.#files.push(new InlineFile(this.#decoder.end(), this.#decoder.isDataUrl));
    this.#decoder = null;
    this.#append(new TextEncoder().encode(JSON.stringify(this.#nameOf(this.#files.length - 1))));
    this.#where = "outside";
  }

  #nameOf(place: number): string {
    return `${this.#mark} ${place}`;
  }
}

const SPACES = new Uint8Array(256);
for (const byte of [0x20, 0x0a, 0x0d, 0x09]) SPACES[byte] = 1;

function isSpace(byte: number): boolean {
  return SPACES[byte] === 1;
}

function indexOr(index: number, otherwise: number): number {
  return index === -1 ? otherwise : index;
}

function decoded(text: string): InlineFile {
  const decoder = new Base64Decoder();
  const bytes = new TextEncoder().encode(text);
  decoder.push(bytes, 0, bytes.length);
  return new InlineFile(decoder.end(), decoder.isDataUrl);
}

/** A file that takes the place of a `base64` string in the parsed body. */
export class InlineFile {
  readonly bytes: readonly Uint8Array<ArrayBuffer>[] | null;

  /** True if the text began like `data:image/png;base64,`. */
  readonly isDataUrl: boolean;

  constructor(bytes: readonly Uint8Array<ArrayBuffer>[] | null, isDataUrl = false) {
    this.bytes = bytes;
    this.isDataUrl = isDataUrl;
  }

  release(): void {
    releaseAll([...(this.bytes ?? [])]);
  }

  get size(): number {
    return (this.bytes ?? []).reduce((size, piece) => size + piece.length, 0);
  }
}
