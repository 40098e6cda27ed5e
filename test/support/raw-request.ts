// An HTTP request written byte by byte, for requests that no HTTP client would send.
import { connect } from "node:net";

const GIVEN_UP_MS = 60_000;

export type RawAnswer = { status: number; headers: string; body: any };

/**
 * Sends the head and the body chunks unchanged, then half-closes the connection unless `staysOpen`. Null if the connection closed without a
 * response.
 */
export function rawRequest(
  origin: string,
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { staysOpen = false } = {},
): Promise<RawAnswer | null> {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(read(answer));
    };
    const timer = setTimeout(end, GIVEN_UP_MS);
    socket.on("data", (piece: Buffer) => {
      answer += piece.toString();
      if (isWhole(answer)) end();
    });
    socket.on("error", end);
    socket.on("close", end);
    const head = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${line} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
    if (!staysOpen) socket.end();
  });
}

function isWhole(answer: string): boolean {
  const length = /^content-length: (\d+)/im.exec(answer)?.[1];
  const at = answer.indexOf("\r\n\r\n");
  return length !== undefined && at !== -1 && Buffer.byteLength(answer.slice(at + 4)) >= Number(length);
}

function read(answer: string): RawAnswer | null {
  const [headers = "", body = ""] = answer.split("\r\n\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1];
  return status === undefined ? null : { status: Number(status), headers, body: body === "" ? null : JSON.parse(body) };
}
