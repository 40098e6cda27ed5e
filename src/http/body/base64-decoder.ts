// Streaming Base64 decoder (RFC 4648, section 4). We found no library that decodes a Base64 string in JSON as it arrives.

/** Multiples of three bytes, so that no group of four Base64 characters spans two blocks. */
const FIRST_BLOCK_BYTES = 6 * 1024;
const BLOCK_BYTES = 192 * 1024;
const PAD = 0x3d;
const INVALID = 0xff;
const DATA_URL_COLON = 0x3a;
const DATA = [0x75, 0xab, 0x5a];

const VALUES = new Uint8Array(256).fill(INVALID);
for (const [value, letter] of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split("").entries()) {
  VALUES[letter.charCodeAt(0)] = value;
}

export class Base64Decoder {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  #block = new Uint8Array(FIRST_BLOCK_BYTES);
  #used = 0;
  #letters = 0;
  #bits = 0;
  #pads = 0;
  #valid = true;
  #isDataUrl = false;

  push(text: Uint8Array, from: number, end: number): void {
    let at = from;
    while (at < end && this.#valid) {
      if (this.#letters === 0 && this.#pads === 0) at = this.#pushGroups(text, at, end);
      if (at < end) this.#pushLetter(text[at] as number);
      at += 1;
    }
  }

  /** Fast path for whole groups, up to the block's end or the first character outside the Base64 alphabet. Returns where it stopped. */
  #pushGroups(text: Uint8Array, from: number, end: number): number {
    const block = this.#block;
    let [at, used] = [from, this.#used];
    for (; at + 4 <= end && used < block.length; at += 4) {
      const first = VALUES[text[at] as number] as number;
      const second = VALUES[text[at + 1] as number] as number;
      const third = VALUES[text[at + 2] as number] as number;
      const fourth = VALUES[text[at + 3] as number] as number;
      if ((first | second | third | fourth) === INVALID) break;
      block[used] = (first << 2) | (second >> 4);
      block[used + 1] = (second << 4) | (third >> 2);
      block[used + 2] = (third << 6) | fourth;
      used += 3;
    }
    this.#used = used;
    this.#nextBlock();
    return at;
  }

  #pushLetter(letter: number): void {
    const value = VALUES[letter] as number;
    if (value === INVALID || this.#pads > 0) {
      if (letter === PAD) this.#pads += 1;
      else {
        if (letter === DATA_URL_COLON) this.#isDataUrl = this.#hasReadData();
        this.#valid = false;
        releaseAll(this.#full);
      }
      return;
    }
    this.#bits = (this.#bits << 6) | value;
    this.#letters += 1;
    if (this.#letters === 4) this.#closeGroup();
  }

  pushCode(code: number): void {
    if (this.#valid) this.#pushLetter(code <= 0x7f ? code : INVALID);
  }

  get isDataUrl(): boolean {
    return this.#isDataUrl;
  }

  /** Returns null if any of the text was not valid Base64. */
  end(): Uint8Array<ArrayBuffer>[] | null {
    const letters = this.#letters;
    const padded = letters === 0 ? this.#pads === 0 : letters > 1 && letters + this.#pads === 4;
    // Unused bits must be zero, because otherwise two texts would encode the same file.
    const unused = letters === 2 ? this.#bits & 0x0f : letters === 3 ? this.#bits & 0x03 : 0;
    if (!this.#valid || !padded || unused !== 0) {
      releaseAll(this.#full);
      return null;
    }
    if (letters === 2) this.#block[this.#used++] = this.#bits >> 4;
    if (letters === 3) {
      this.#block[this.#used++] = this.#bits >> 10;
      this.#block[this.#used++] = this.#bits >> 2;
    }
    return this.#used === 0 ? this.#full : [...this.#full, this.#block.slice(0, this.#used)];
  }

  release(): void {
    this.#valid = false;
    releaseAll(this.#full);
    releaseAll([this.#block]);
  }

  #hasReadData(): boolean {
    return this.#full.length === 0 && this.#used === 3 && this.#letters === 0 && DATA.every((byte, at) => this.#block[at] === byte);
  }

  #closeGroup(): void {
    const [block, used, bits] = [this.#block, this.#used, this.#bits];
    block[used] = bits >> 16;
    block[used + 1] = bits >> 8;
    block[used + 2] = bits;
    this.#used = used + 3;
    this.#letters = 0;
    this.#bits = 0;
    this.#nextBlock();
  }

  #nextBlock(): void {
    if (this.#used < this.#block.length) return;
    this.#full.push(this.#block);
    this.#block = new Uint8Array(BLOCK_BYTES);
    this.#used = 0;
  }
}

export function releaseAll(blocks: Uint8Array<ArrayBuffer>[]): void {
  for (const { buffer } of blocks.splice(0)) buffer.transfer(0);
}
