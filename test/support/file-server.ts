// Serves files on loopback, as a third-party web server would.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Page = (response: ServerResponse) => void;

export class FileServer {
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #pages = new Map<string, Page>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? "");
      const page = this.#pages.get(request.url ?? "");
      if (page === undefined) response.writeHead(404).end();
      else page(response);
    });
  }

  static async start(): Promise<FileServer> {
    const server = new FileServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** Serves the bytes at this path; with `sized` false, without a Content-Length. */
  file(path: string, bytes: Uint8Array, type: string, sized = true): string {
    return this.page(path, (response) => {
      response.writeHead(200, { "content-type": type, ...(sized ? { "content-length": bytes.length } : {}) });
      response.end(bytes);
    });
  }

  redirect(path: string, to: string): string {
    return this.page(path, (response) => void response.writeHead(302, { location: to }).end());
  }

  page(path: string, page: Page): string {
    this.#pages.set(path, page);
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
