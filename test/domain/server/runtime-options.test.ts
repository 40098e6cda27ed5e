import { expect, it } from "vitest";
import { HIDDEN_GATEWAY, runtimeOptions } from "#root/server/runtime/runtime-options.ts";
import type { PreparedWorker } from "#root/server/runtime/prepared-worker.ts";

const prepared = {
  script: "export default {}",
  options: {
    bindings: { APP_URL: "https://edge.example.com" },
    email: { send_email: [{ name: "MAIL" }] },
    d1Databases: { DB: { id: "of-the-edge" } },
    r2Buckets: { MEDIA: { id: "of-the-edge" } },
    durableObjects: { CONNECTION: { className: "Connection", useSQLite: true } },
  },
  root: "/",
  sources: {},
} as unknown as PreparedWorker;
const settings = { port: 1, storage: "/data/storage", strict: true, vars: { APP_URL: "http://localhost:8787" } };
const server = {
  smtpUrl: null,
  webhookHosts: [] as string[],
  mailFolder: "/data/mail",
  frontSecret: "front's",
  adminEmail: "a@b.co",
  appUrl: "http://localhost:8787",
  dataFolder: "/data",
  backups: { folder: "/backups", time: "03:30", keep: 7 },
};
const served = runtimeOptions({ ...settings, server }, prepared);
const gatewayOf = (workers: (typeof served)["workers"]) => workers.find(({ name }) => name === HIDDEN_GATEWAY);
const gateway = gatewayOf(served.workers);

it("the names of stored files never change, because the data of every machine is under them", () => {
  expect(gateway).toMatchObject({
    durableObjects: { CONNECTION: { unsafeUniqueKey: "gateway-Connection" } },
    d1Databases: { DB: { id: "gateway" } },
    r2Buckets: { MEDIA: { id: "gateway-media" } },
  });
});

it("the worker has the machine's settings, not those of a deployment at the edge", () => {
  expect(gateway).toMatchObject({ bindings: { APP_URL: "http://localhost:8787" } });
  expect(gateway).not.toHaveProperty("email");
});

it("requests leave this machine for public addresses only", () => {
  const outside = served.workers.find(({ name }) => name.startsWith("outside-"));
  expect(gateway).toMatchObject({
    outboundService: { name: outside?.name },
    serviceBindings: { MAIL: { name: expect.stringMatching(/^mail-/) } },
  });
  expect(outside).toMatchObject({ serviceBindings: { NET: { network: { allow: ["public"] } } } });
});

it("a way to private webhook receivers exists only if the operator lists some", () => {
  expect(gateway).not.toHaveProperty("serviceBindings.RECEIVERS");
  expect(gateway).not.toHaveProperty("bindings.WEBHOOK_HOSTS");
  const { workers } = runtimeOptions({ ...settings, server: { ...server, webhookHosts: ["n8n:5678", "127.0.0.1:3000"] } }, prepared);
  expect(gatewayOf(workers)).toMatchObject({
    serviceBindings: { RECEIVERS: { name: expect.stringMatching(/^receivers-/) } },
    bindings: { WEBHOOK_HOSTS: "n8n:5678,127.0.0.1:3000" },
  });
});
