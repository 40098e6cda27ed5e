// Media types come from strangers and end up in headers, so they are parsed per RFC 9110, 8.3.1 on arrival.

export const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

const MAX_CHARACTERS = 255;
/** Accepts only names that can be registered (RFC 6838, 4.2), no wildcards. */
const NAME = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}";
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"[ !#-[\]-~]*"`;
const PARAMETER = `${TOKEN}=(?:${TOKEN}|${QUOTED})`;
const MEDIA_TYPE = new RegExp(`^[ \\t]*(${NAME}/${NAME})((?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*)[ \\t]*$`);
const PARAMETERS = new RegExp(`(${TOKEN})=(?:(${TOKEN})|(${QUOTED}))`, "g");

const KNOWN_PARAMETERS: ReadonlySet<string> = new Set(["charset", "codecs"]);

/** Canonical form with the known parameters; null when the text is not a media type. */
export function parseMediaType(text: string): string | null {
  const [, type, rest = ""] = text.length > MAX_CHARACTERS ? [] : (MEDIA_TYPE.exec(text) ?? []);
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
