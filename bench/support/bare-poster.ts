// The upper bound for webhook delivery: a worker in the same runtime that does nothing but POST, with the given concurrency.
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const SCRIPT = `
export default {
  async fetch(request, env) {
    const { url, total, concurrency, body } = await request.json();
    let left = total;
    const loop = async () => {
      while (left > 0) {
        left -= 1;
        const response = await env.EGRESS.fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
        await response.body?.cancel();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    return new Response();
  },
};`;

export type BarePoster = {
  post(job: { url: string; total: number; concurrency: number; body: string }): Promise<void>;
  dispose(): Promise<void>;
};

export async function startBarePoster(): Promise<BarePoster> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: SCRIPT,
      compatibilityDate: "2026-10-01",
      serviceBindings: { EGRESS: { network: { allow: ["127.0.0.1/32"] } } },
    }),
  );
  await runtime.ready;
  return {
    async post(job) {
      const response = await runtime.dispatchFetch("http://bench/", { method: "POST", body: JSON.stringify(job) });
      if (!response.ok) throw new Error(`the bare poster failed: ${await response.text()}`);
    },
    dispose: () => runtime.dispose(),
  };
}
