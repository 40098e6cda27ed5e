// Sends the doctor's requests with `node:https`, because `fetch` always sends a User-Agent and hides why a connection failed.
import { request, type RequestOptions } from "node:https";

export type Answer = { status: number; headers: Readonly<Record<string, string | string[] | undefined>>; body: string };
/** `failed` is Node's error code, such as ENOTFOUND. */
export type Asked = Answer | { failed: string };
export type Ask = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Asked>;

const ANSWER_MS = 30_000;
const MAX_BYTES = 1 << 18;

export const askAt =
  (origin: string): Ask =>
  (path, headers = {}) => {
    const { promise, resolve } = Promise.withResolvers<Asked>();
    const options: RequestOptions = { headers, signal: AbortSignal.timeout(ANSWER_MS) };
    const asked = request(new URL(path, origin), options);
    asked.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ failed: error.name === "TimeoutError" ? "ETIMEDOUT" : (error.code ?? error.name) }),
    );
    asked.on("upgrade", ({ headers: answered }, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: answered, body: "" });
    });
    asked.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() });
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_BYTES) {
          answer.destroy();
          end();
        }
      });
      answer.on("end", end);
      answer.on("error", (error: NodeJS.ErrnoException) => resolve({ failed: error.code ?? error.name }));
    });
    asked.end();
    return promise;
  };
