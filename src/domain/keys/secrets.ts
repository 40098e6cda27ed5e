// Numbered secrets. During a rotation, the old one is still accepted (docs/operate/secrets.md, "Rotating secrets").

/** Secrets by number, 0 to 255. The first one issues, signs and encrypts, and all of them verify and decrypt. */
export type VersionedSecrets = ReadonlyMap<number, Uint8Array>;

export const IMPLIED_KID = 1;

const MAX_KID = 255;
const MIN_CHARACTERS = 32;

type ReadSecrets = { ok: true; secrets: VersionedSecrets } | { ok: false; problem: string };

/** Reads `<kid>:<secret> <kid>:<secret> …`, or one bare secret. `problem` never contains part of the value. */
export function readSecrets(setting: string): ReadSecrets {
  const entries = setting.trim().split(/\s+/);
  const secrets = new Map<number, Uint8Array>();
  for (const [index, entry] of entries.entries()) {
    const [, number, numbered] = /^(\d+):(.*)$/.exec(entry) ?? [];
    const where = entries.length === 1 ? "" : `entry ${index + 1} `;
    if (number === undefined && entries.length > 1) {
      return { ok: false, problem: `${where}has no number: a secret has no blanks, and each of several is written <kid>:<secret>` };
    }
    const kid = number === undefined ? IMPLIED_KID : Number(number);
    const secret = numbered ?? entry;
    if (kid > MAX_KID) return { ok: false, problem: `${where}has a number above ${MAX_KID}` };
    if (secrets.has(kid)) return { ok: false, problem: `${where}has the number of an earlier entry` };
    if (secret.length < MIN_CHARACTERS) return { ok: false, problem: `${where}must be at least ${MIN_CHARACTERS} characters` };
    secrets.set(kid, new TextEncoder().encode(secret));
  }
  return { ok: true, secrets };
}

export function currentSecret(secrets: VersionedSecrets): { kid: number; secret: Uint8Array } {
  const first = secrets.entries().next().value;
  if (first === undefined) throw new Error("there is no secret");
  return { kid: first[0], secret: first[1] };
}

export function secretText(secret: Uint8Array): string {
  return new TextDecoder().decode(secret);
}
