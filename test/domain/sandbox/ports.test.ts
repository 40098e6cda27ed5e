import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { freePort, portOnceFree, portPerStart } from "#root/server/ports.ts";
import { eventually } from "../../support/eventually.ts";

it("a port for a process is outside the system's own range, in a block that no other process can take", async () => {
  const ports = await Promise.all(Array.from({ length: 25 }, () => freePort(0)));
  expect(new Set(ports).size).toBe(ports.length);
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_768);
    // The first port of a range marks it as taken.
    expect(await freePort((port ?? 0) - ((port ?? 0) % 10))).toBeNull();
  }
});

it("a process whose port was taken before it listened starts on another one", async () => {
  const next = await portPerStart();
  const taken = next();
  const other = createServer().listen(taken, "127.0.0.1");
  await once(other, "listening");
  const port = await eventually("another port", 60_000, () => {
    const given = next();
    return given !== taken && given;
  });
  expect(await freePort(port)).toBe(port);
  other.close();
});

it("a port that is being released is awaited, and a port that stays taken is not free", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await portOnceFree(port)).toBeNull();
  const found = portOnceFree(port);
  expect(await freePort(port)).toBeNull();
  other.close();
  expect(await found).toBe(port);
});
