// The documentation's curl commands, parsed as a shell would.

export type Curl = { method: string; url: string; headers: Record<string, string>; body: string | undefined };

/** Splits a command line into words: bare, '…' and "…"; `$NAME` expands everywhere except in '…'. */
function wordsOf(command: string, variables: Readonly<Record<string, string>>): string[] {
  const filled = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} is nowhere said to be anything: ${command}`);
      return value;
    });
  const words: string[] = [];
  let open = false;
  for (const [, quoted, double, bare] of command.replaceAll(/\\\n\s*/g, " ").matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)|\s+/g)) {
    const part = quoted ?? (double === undefined ? (bare === undefined ? null : filled(bare)) : filled(double));
    if (part !== null) words.push(open ? (words.pop() ?? "") + part : part);
    open = part !== null;
  }
  return words;
}

export function parseCurl(command: string, variables: Readonly<Record<string, string>>): Curl {
  const [name, ...words] = wordsOf(command, variables);
  if (name !== "curl") throw new Error(`not a curl command: ${command}`);
  const curl: Curl & { method: string | null } = { method: null as unknown as string, url: "", headers: {}, body: undefined };
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", value = ""] = [words[at], words[at + 1]];
    if (!word.startsWith("-")) {
      curl.url = word;
      continue;
    }
    if (word === "-s") continue;
    if (word === "-X") curl.method = value;
    else if (word === "-d") curl.body = value;
    else if (word === "-H") curl.headers[value.slice(0, value.indexOf(":")).toLowerCase()] = value.slice(value.indexOf(":") + 1).trim();
    else throw new Error(`an option that nobody has met yet: ${word}`);
    at += 1;
  }
  return { ...curl, method: curl.method ?? (curl.body === undefined ? "GET" : "POST") };
}

export async function runCurl({ method, url, headers, body }: Curl): Promise<{ status: number; body: any }> {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  if (response.headers.get("content-type") !== "text/event-stream") return { status: response.status, body: await response.json() };
  // A stream would otherwise stay open.
  await response.body?.cancel();
  return { status: response.status, body: null };
}
