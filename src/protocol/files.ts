// Media types come from strangers and end up in headers, so they are parsed per RFC 9110, 8.3.1 on arrival.

export const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

const MAX_TYPE_CHARACTERS = 255;
/** Accepts only names that can be registered (RFC 6838, 4.2), and no wildcards. */
const NAME = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}";
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"[ !#-[\]-~]*"`;
const PARAMETER = `${TOKEN}=(?:${TOKEN}|${QUOTED})`;
const MEDIA_TYPE = new RegExp(`^[ \\t]*(${NAME}/${NAME})((?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*)[ \\t]*$`);
const PARAMETERS = new RegExp(`(${TOKEN})=(?:(${TOKEN})|(${QUOTED}))`, "g");

const KNOWN_PARAMETERS: ReadonlySet<string> = new Set(["charset", "codecs"]);

/** Canonical form with the known parameters, or null if the text is not a media type. */
export function parseMediaType(text: string): string | null {
  const [, type, rest = ""] = text.length > MAX_TYPE_CHARACTERS ? [] : (MEDIA_TYPE.exec(text) ?? []);
  if (type === undefined) return null;
  const known = new Map<string, string>();
  for (const [, name = "", token, quoted = ""] of rest.matchAll(PARAMETERS)) {
    const parameter = name.toLowerCase();
    if (KNOWN_PARAMETERS.has(parameter) && !known.has(parameter)) known.set(parameter, token ?? unquoted(quoted));
  }
  return [type.toLowerCase(), ...[...known].map(([name, value]) => `${name}=${value}`)].join("; ");
}

export function mediaTypeOf(named: string): string {
  return parseMediaType(named) ?? UNKNOWN_MEDIA_TYPE;
}

const IS_TOKEN = new RegExp(`^${TOKEN}$`);

function unquoted(quoted: string): string {
  const value = quoted.slice(1, -1);
  return IS_TOKEN.test(value) ? value : quoted;
}

// Filenames come from strangers, and are stored, shown and put into headers, so this module sanitizes them.

/** Limit on the percent-encoded name, so that it fits into R2's custom metadata (2,048 bytes in all). */
const MAX_NAME_BYTES = 1_500;
const MAX_NAME_CHARACTERS = 2 * MAX_NAME_BYTES;

/** Control characters, and direction marks, which could make `exe.gpj` look like a picture. */
export const INVISIBLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Removes invisible characters, and shortens the stem if the name is too long to store. */
export function storableFilename(name: string): string {
  const cut = name.length > MAX_NAME_CHARACTERS ? name.slice(0, MAX_NAME_BYTES) + name.slice(-MAX_NAME_BYTES) : name;
  const letters = [...cut.toWellFormed().replaceAll(INVISIBLE, "").trim()];
  const dot = letters.lastIndexOf(".");
  const extension = dot > 0 && letters.length - dot <= 12 ? letters.splice(dot) : [];
  const fits = () => encodeURIComponent([...letters, ...extension].join("")).length <= MAX_NAME_BYTES;
  while (letters.length > 0 && !fits()) letters.length -= Math.max(1, Math.floor(letters.length / 20));
  return [...letters, ...extension].join("");
}
